import { Link } from '@tanstack/react-router';
import type { FrameworkOut, ScenarioOut } from '@/api/schema';
import { Facts } from '@/components/Facts';
import { joinWords, words } from '@/lib/format';
import { Digests } from './Digests';
import { otherVersions } from './filter';

/** Return ` with hello, eureka`; empty for a scenario with a single service. */
function behind({ topologies }: FrameworkOut, scenario: string): string {
  const found = topologies[scenario];
  return found === undefined
    ? ''
    : ` with ${joinWords([...found.peers, ...found.backing_services])}`;
}

interface FrameworkFactsProps {
  framework: FrameworkOut;
  frameworks: readonly FrameworkOut[];
  scenarios: readonly ScenarioOut[];
}

/** Lists the facts about a framework: versions, source and scenarios. */
export function FrameworkFacts({ framework, frameworks, scenarios }: FrameworkFactsProps) {
  const { versions, unavailable } = framework;
  const others = otherVersions(framework, frameworks);
  return (
    <Facts
      facts={[
        ['Language', versions.language],
        ['Runtime', versions.runtime],
        ['Framework', versions.framework],
        [
          'Language settings',
          framework.language_settings.map((rule) => <div key={rule}>{rule}.</div>),
        ],
        [
          'Other versions',
          others.length === 0
            ? null
            : others.map(({ slug, versions: other }) => (
                <div key={slug}>
                  <Link to="/frameworks/$slug" params={{ slug }}>
                    {other.framework}
                  </Link>
                </div>
              )),
        ],
        ['Concurrency', words(framework.concurrency)],
        ['Mode', framework.mode === 'ootb' ? 'default settings' : framework.mode],
        ['Licence', framework.licence],
        ['Website', <a href={framework.website}>{framework.website}</a>],
        ['Source', framework.source && <a href={framework.source}>{framework.source}</a>],
        ['Digest', <Digests digest={framework.digest} digests={framework.digests} />],
        [
          'Scenarios',
          framework.scenarios.map((slug) => (
            <div key={slug}>
              <Link to="/scenarios/$slug" params={{ slug }}>
                {scenarios.find((scenario) => scenario.slug === slug)?.name ?? slug}
              </Link>
              {behind(framework, slug)}
            </div>
          )),
        ],
        ...Object.entries(unavailable).map(
          ([host, reason]) => [`Cannot run on ${host}`, reason] as const,
        ),
      ]}
    />
  );
}
