import { Button } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { IncidentFilter } from '@/api/incidents';
import { PageHeader, Section } from '@/components/Page';
import { EmptyState } from '@/components/States';
import type { IncidentTab } from '@/features/incidents/statuses';
import { StatusTabs } from '@/features/incidents/StatusTabs';
import { IncidentList } from '@/features/incidents/IncidentList';
import { SloList } from '@/features/slos/SloList';
import { useDocumentTitle } from '@/lib/hooks';

const route = getRouteApi('/changes');
const PAGE_LENGTH = 20;

export function ChangesPage(): ReactNode {
  useDocumentTitle('Changes');
  const { status } = route.useSearch();
  return (
    <>
      <PageHeader
        title="Changes"
        meta="Possible regressions and improvements, one row for each new build. A confirmation run tests each, old build against new, before anyone is notified."
      />
      <StatusTabs status={status} />
      <IncidentList
        key={status ?? 'all'}
        filter={filterOf(status)}
        limit={PAGE_LENGTH}
        empty={<Empty status={status} />}
      />
      <Section
        title="Limits"
        hint="Every run is checked against these limits. The outcome is on its page, in the API and in the exit code of tacho run --wait."
      >
        <SloList />
      </Section>
    </>
  );
}

function filterOf(status: IncidentTab | undefined): IncidentFilter {
  if (status === undefined) return {};
  return status === 'open' ? { open: true } : { status };
}

function Empty({ status }: { status: IncidentTab | undefined }) {
  if (status === 'open') {
    return (
      <EmptyState title="No open changes">
        Every change is decided, and every confirmed change is acknowledged.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title={status === undefined ? 'No changes yet' : 'No changes with this status'}
      action={
        <Button
          size="xs"
          variant="default"
          renderRoot={(props) => <Link to="/schedules/new" {...props} />}
        >
          New schedule
        </Button>
      }
    >
      Tacho compares every finished run with earlier runs of the same framework, scenario and load
      on the same host. It finds a change among 20 runs, or between two builds with four runs each.
      A schedule makes these runs. If most series of a run shift together, they are one change of
      the host.
    </EmptyState>
  );
}
