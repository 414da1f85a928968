import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import type { FrameworkOut } from '@/api/schema';
import { PageHeader, Section } from '@/components/Page';
import { EmptyState, Loaded } from '@/components/States';
import { CatalogueFilter } from '@/features/catalogue/CatalogueFilter';
import { filterFrameworks } from '@/features/catalogue/filter';
import { FrameworkList } from '@/features/catalogue/FrameworkList';
import { ScenarioList } from '@/features/catalogue/ScenarioList';
import { formatCount } from '@/lib/format';

const route = getRouteApi('/frameworks');

export function Catalogue(): ReactNode {
  const frameworks = api.useQuery('get', '/api/v1/frameworks');
  const scenarios = api.useQuery('get', '/api/v1/scenarios');
  return (
    <>
      <PageHeader
        title="Frameworks"
        meta="Frameworks that can be measured here. Add one with a folder of source code and a manifest."
      />
      <Loaded query={frameworks}>{({ items }) => <Filtered frameworks={items} />}</Loaded>
      <Section title="Scenarios" hint="Tasks that a service implements.">
        <Loaded query={scenarios}>{({ items }) => <ScenarioList scenarios={items} />}</Loaded>
      </Section>
    </>
  );
}

function Filtered({ frameworks }: { frameworks: readonly FrameworkOut[] }) {
  const search = route.useSearch();
  const navigate = useNavigate();
  const scenarios = api.useQuery('get', '/api/v1/scenarios');
  const shown = filterFrameworks(frameworks, search);
  return (
    <>
      <CatalogueFilter
        frameworks={frameworks}
        scenarios={scenarios.data?.items ?? []}
        search={search}
        onChange={(change) =>
          void navigate({
            to: '/frameworks',
            search: (now) => ({ ...now, ...change }),
            replace: true,
          })
        }
      />
      <p aria-live="polite">
        {shown.length === frameworks.length
          ? formatCount(shown.length, 'framework')
          : `${shown.length} of ${formatCount(frameworks.length, 'framework')}`}
      </p>
      {shown.length === 0 ? (
        <EmptyState title="No matching frameworks">Clear a filter above.</EmptyState>
      ) : (
        <FrameworkList frameworks={shown} />
      )}
    </>
  );
}
