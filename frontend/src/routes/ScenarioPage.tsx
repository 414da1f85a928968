import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Facts } from '@/components/Facts';
import { PageHeader, Section } from '@/components/Page';
import { EmptyState, Loaded } from '@/components/States';
import { Digests } from '@/features/catalogue/Digests';
import { ProfileTable } from '@/features/catalogue/ProfileTable';
import { scenarioQuery } from '@/features/catalogue/query';
import { RunList } from '@/features/runs/RunList';
import { formatCount } from '@/lib/format';
import { useDocumentTitle } from '@/lib/hooks';
import { Missing } from './missing-lazy';

const route = getRouteApi('/scenarios/$slug');

export function ScenarioPage(): ReactNode {
  const { slug } = route.useParams();
  const query = useQuery(scenarioQuery(slug));
  useDocumentTitle(query.data?.name ?? slug);
  return (
    <Loaded query={query} missing={<Missing noun="scenario" asked={slug} />}>
      {(scenario) => (
        <>
          <PageHeader title={scenario.name} meta={scenario.description} />
          <Facts
            facts={[
              [
                'First request',
                <code>
                  {scenario.method} {scenario.path}
                </code>,
              ],
              ['Backing services', scenario.backing_services.join(', ') || 'none'],
              ['Implemented by', formatCount(scenario.frameworks.length, 'framework')],
              ['Digest', <Digests digest={scenario.digest} digests={scenario.digests} />],
            ]}
          />
          <Section
            title="Load profiles"
            hint="Each has a quick variant for a first impression and a full variant for reliable results."
          >
            <ProfileTable profiles={scenario.profiles} />
          </Section>
          <Section
            title="Runs"
            actions={
              <Link to="/runs" search={{ scenario: slug }}>
                All runs of it
              </Link>
            }
          >
            <RunList
              filter={{ scenario: slug }}
              limit={10}
              empty={<EmptyState title="No runs yet">It has not been run here.</EmptyState>}
            />
          </Section>
        </>
      )}
    </Loaded>
  );
}
