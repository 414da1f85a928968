import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { frameworkQueries } from '@/api/frameworks';
import { MarkedName } from '@/components/Marker';
import { PageHeader, Section } from '@/components/Page';
import { EmptyState, Loaded } from '@/components/States';
import { FrameworkFacts } from '@/features/catalogue/FrameworkFacts';
import { RunList } from '@/features/runs/RunList';
import { useDocumentTitle } from '@/lib/hooks';

const route = getRouteApi('/frameworks/$slug');

export function FrameworkPage(): ReactNode {
  const { slug } = route.useParams();
  const query = useQuery(frameworkQueries.one(slug));
  useDocumentTitle(query.data?.name ?? slug);
  return (
    <Loaded query={query}>
      {(framework) => (
        <>
          <PageHeader
            title={<MarkedName name={framework.name} colour={framework.colour} />}
            meta={framework.description}
          />
          <FrameworkFacts framework={framework} />
          <Section title="Runs with it">
            <RunList
              filter={{ framework: slug }}
              limit={10}
              empty={<EmptyState title="No run yet">Nothing has measured it here.</EmptyState>}
            />
          </Section>
        </>
      )}
    </Loaded>
  );
}
