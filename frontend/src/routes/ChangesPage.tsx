import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageHeader, Section } from '@/components/Page';
import { EmptyState } from '@/components/States';
import { ChangeList } from '@/features/changes/ChangeList';
import { HostEvents } from '@/features/changes/HostEvents';
import { StatusTabs } from '@/features/changes/StatusTabs';
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
        meta="Possible regressions and improvements. Each is tested again, old build against new, before anyone is notified."
      />
      <StatusTabs status={status} />
      <ChangeList
        key={status ?? 'all'}
        filter={status === undefined ? {} : { status }}
        limit={PAGE_LENGTH}
        empty={
          <EmptyState
            title={status === undefined ? 'No changes yet' : 'No changes with this status'}
          >
            Detection needs at least 20 runs of the same framework, scenario and load on the same
            host. Then Tacho checks every finished run.
          </EmptyState>
        }
      />
      <Section
        title="Host events"
        hint="If two thirds of a run’s metrics shift together, the host is the likely cause."
      >
        <HostEvents />
      </Section>
      <Section
        title="Limits"
        hint="Every run is checked against these limits. The outcome is on its page, in the API and in the exit code of tacho run --wait."
      >
        <SloList />
      </Section>
    </>
  );
}
