import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, PAGES } from '@/api/client';
import { FoldedSection } from '@/components/FoldedSection';
import { LinkButton } from '@/components/LinkButton';
import { PageHeader } from '@/components/Page';
import { EmptyState } from '@/components/States';
import { type IncidentTab, STATUSES } from '@/features/incidents/statuses';
import { StatusTabs } from '@/features/incidents/StatusTabs';
import { type IncidentFilter, IncidentList } from '@/features/incidents/IncidentList';

const route = getRouteApi('/changes');
const PAGE_LENGTH = 20;

export function ChangesPage(): ReactNode {
  const { status = 'open' } = route.useSearch();
  const filter = filterOf(status);
  const { isFetched } = api.useInfiniteQuery(
    'get',
    '/api/v1/incidents',
    { params: { query: { ...filter, limit: PAGE_LENGTH } } },
    PAGES,
  );
  return (
    <>
      <PageHeader
        title="Changes"
        meta="Possible regressions and improvements, one row for each new build. A confirmation run tests each, old build against new, before anyone is notified."
        actions={<LinkButton to="/limits">Limits</LinkButton>}
      />
      <StatusTabs status={status} />
      <IncidentList
        key={status}
        filter={filter}
        limit={PAGE_LENGTH}
        empty={<Empty status={status} />}
      />
      {/* Only when the list above is as long as it stays. */}
      {isFetched && status === 'open' && <OtherIncidents />}
    </>
  );
}

function filterOf(status: IncidentTab): IncidentFilter {
  if (status === 'all') return {};
  return status === 'open' ? { open: true } : { status };
}

/** Lists, when it is opened, the changes that need no attention. */
function OtherIncidents() {
  return (
    <FoldedSection
      anchor="others"
      title="Other changes"
      hint="Acknowledged, dismissed, or a drift of the host."
    >
      <IncidentList
        filter={{ open: false }}
        limit={PAGE_LENGTH}
        empty={<p style={{ margin: 0 }}>No other changes.</p>}
      />
    </FoldedSection>
  );
}

function Empty({ status }: { status: IncidentTab }) {
  const counts = api.useQuery('get', '/api/v1/incident-counts').data;
  const hasOthers = counts !== undefined && STATUSES.some((entry) => counts[entry.status] > 0);
  if (status === 'open' && hasOthers) {
    return (
      <EmptyState title="No open changes">
        Every change is decided, and every confirmed change is acknowledged.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title={
        status === 'open' || status === 'all' ? 'No changes yet' : 'No changes with this status'
      }
      action={<LinkButton to="/schedules/new">New schedule</LinkButton>}
    >
      Tacho compares every finished run with earlier runs of the same framework, scenario and load
      on the same host. It finds a change among 20 runs, or between two builds with four runs each.
      A schedule makes these runs. If most series of a run shift together, they are one change of
      the host.
    </EmptyState>
  );
}
