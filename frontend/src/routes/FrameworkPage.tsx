import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { MarkedName } from '@/components/Marker';
import { PageHeader, Section } from '@/components/Page';
import { EmptyState, Loaded } from '@/components/States';
import { BadgeBox } from '@/features/catalogue/BadgeBox';
import { FrameworkFacts } from '@/features/catalogue/FrameworkFacts';
import { LatestResults } from '@/features/catalogue/LatestResults';
import { frameworkQuery, latestResultsQuery } from '@/features/catalogue/query';
import { RunList } from '@/features/runs/RunList';
import { useDocumentTitle } from '@/lib/hooks';
import { togglePicked } from '@/lib/picked';
import { Missing } from './missing-lazy';

const route = getRouteApi('/frameworks/$slug');

export function FrameworkPage(): ReactNode {
  const { slug } = route.useParams();
  const query = useQuery(frameworkQuery(slug));
  const frameworks = api.useQuery('get', '/api/v1/frameworks');
  const scenarios = api.useQuery('get', '/api/v1/scenarios');
  useDocumentTitle(query.data?.name ?? slug);
  return (
    <Loaded query={query} missing={<Missing noun="framework" asked={slug} />}>
      {(framework) => (
        <>
          <PageHeader
            title={<MarkedName name={framework.name} colour={framework.colour} />}
            meta={framework.description}
          />
          <FrameworkFacts
            framework={framework}
            frameworks={frameworks.data?.items ?? []}
            scenarios={scenarios.data?.items ?? []}
          />
          <Section
            title="Latest results"
            hint="The newest result of each scenario and profile. Excluded results are grey."
          >
            <Results slug={slug} />
          </Section>
          <Section
            title="Badge"
            hint="Shows the newest valid result of a public run, for example in a README."
          >
            <Badge slug={slug} name={framework.name} />
          </Section>
          <Section
            title="Runs with it"
            actions={
              <Link to="/runs" search={{ framework: slug }}>
                All runs with it
              </Link>
            }
          >
            <RunList
              filter={{ framework: slug }}
              limit={10}
              empty={<EmptyState title="No runs yet">It has not been measured here.</EmptyState>}
            />
          </Section>
        </>
      )}
    </Loaded>
  );
}

function Badge({ slug, name }: { slug: string; name: string }) {
  const results = useQuery(latestResultsQuery(slug));
  const metrics = api.useQuery('get', '/api/v1/metrics');
  return (
    <Loaded query={results}>
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState title="No badge yet">A badge needs a result.</EmptyState>
        ) : (
          <BadgeBox slug={slug} name={name} results={items} metrics={metrics.data?.items ?? []} />
        )
      }
    </Loaded>
  );
}

function Results({ slug }: { slug: string }) {
  const { picked: chosen = [] } = route.useSearch();
  const navigate = useNavigate();
  const results = useQuery(latestResultsQuery(slug));
  const metrics = api.useQuery('get', '/api/v1/metrics');
  return (
    <Loaded query={results}>
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState title="No results yet">The results of finished runs appear here.</EmptyState>
        ) : (
          <LatestResults
            results={items}
            metrics={metrics.data?.items ?? []}
            picked={chosen}
            onPick={(cell) =>
              void navigate({
                to: '/frameworks/$slug',
                params: { slug },
                search: { picked: togglePicked(chosen, cell) },
                replace: true,
                resetScroll: false,
              })
            }
          />
        )
      }
    </Loaded>
  );
}
