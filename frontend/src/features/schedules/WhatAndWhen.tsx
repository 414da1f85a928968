import { Link } from '@tanstack/react-router';
import { api } from '@/api/client';
import { listParameters } from '@/api/scenarios';
import type { FrameworkOut, ScenarioOut, ScheduleOut } from '@/api/schema';
import { Facts } from '@/components/Facts';
import { formatCount, formatDateTime, formatWhole, joinWords, words } from '@/lib/format';

type Cell = ScheduleOut['run']['cells'][number];

/** `Node.js · Hello · rate, quick · Rate 500 req/s`. */
function describeCell(
  { framework, scenario: slug, profile: wanted, parameters }: Cell,
  frameworks: readonly FrameworkOut[],
  scenarios: readonly ScenarioOut[],
): string {
  const scenario = scenarios.find((candidate) => candidate.slug === slug);
  const profile = scenario?.profiles.find(
    (candidate) => candidate.slug === (wanted ?? scenario.default_profile),
  );
  const own = profile ? listParameters(profile) : [];
  const set = Object.entries(parameters ?? {}).map(([name, value]) => {
    const known = own.find((parameter) => parameter.name === name);
    const values = [value].flat().join(', ');
    return `${known?.title ?? words(name)} ${formatWhole(values, known?.unit ?? '')}`;
  });
  return [
    frameworks.find((candidate) => candidate.slug === framework)?.name ?? framework,
    scenario?.name ?? slug,
    profile ? `${words(profile.name)}, ${profile.variant}` : (wanted ?? 'default profile'),
    ...set,
  ].join(' · ');
}

/** Lists what a schedule measures, its host and its next times. */
export function WhatAndWhen({ schedule }: { schedule: ScheduleOut }) {
  const { run, host, next_times: times } = schedule;
  const frameworks = api.useQuery('get', '/api/v1/frameworks').data?.items ?? [];
  const scenarios = api.useQuery('get', '/api/v1/scenarios').data?.items ?? [];
  const cells = run.cells.map((cell) => describeCell(cell, frameworks, scenarios));
  return (
    <Facts
      facts={[
        ['Results', cells.length > 3 ? <Many key="cells" cells={cells} /> : cells.join('; ')],
        [
          'Trials per result',
          run.until ? `until certain, at most ${run.max_trials ?? '–'}` : String(run.trials),
        ],
        [
          run.hosts ? 'Hosts' : 'Host',
          run.hosts ? (
            host
          ) : (
            <Link key="host" to="/hosts/$name" params={{ name: host }}>
              {host}
            </Link>
          ),
        ],
        ...(run.load_hosts?.length
          ? [['Load from', joinWords(run.load_hosts)] satisfies [string, string]]
          : []),
        ['Visibility', schedule.visibility],
        ['Cron', `${schedule.cron} (${schedule.time_zone})`],
        [
          'Next runs (your time)',
          times.length === 0
            ? 'paused'
            : times.map((time) => <div key={time}>{formatDateTime(time)}</div>),
        ],
      ]}
    />
  );
}

function Many({ cells }: { cells: readonly string[] }) {
  return (
    <details>
      <summary>{formatCount(cells.length, 'result')}</summary>
      {cells.map((cell) => (
        <div key={cell}>{cell}</div>
      ))}
    </details>
  );
}
