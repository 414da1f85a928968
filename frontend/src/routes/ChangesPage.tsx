import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageHeader, Section } from '@/components/Page';
import { EmptyState } from '@/components/States';
import { ChangeList } from '@/features/changes/ChangeList';
import { HostEvents } from '@/features/changes/HostEvents';
import { StatusTabs } from '@/features/changes/StatusTabs';
import { readStatus } from '@/features/changes/statuses';
import { SloList } from '@/features/slos/SloList';
import { useDocumentTitle } from '@/lib/hooks';

const route = getRouteApi('/changes');
const PAGE_LENGTH = 20;

export function ChangesPage(): ReactNode {
  useDocumentTitle('Changes');
  const status = readStatus(route.useSearch().status);
  return (
    <>
      <PageHeader
        title="Changes"
        meta="Where a history left its level. Before anyone is told, the builds before and after run side by side."
      />
      <StatusTabs status={status} />
      <ChangeList
        key={status ?? 'all'}
        filter={status === undefined ? {} : { status }}
        limit={PAGE_LENGTH}
        empty={
          <EmptyState title={status === undefined ? 'No change yet' : 'None in this status'}>
            A change needs a history: at least 20 runs of the same framework, scenario and load on
            the same host. From then on every run that ends is looked at.
          </EmptyState>
        }
      />
      <Section
        title="Host events"
        hint="When two thirds or more of a run’s series shift together, the host did it."
      >
        <HostEvents />
      </Section>
      <Section
        title="Limits"
        hint="A run passes or fails them: on its page, in the API, and by the exit code of tacho run --wait."
      >
        <SloList />
      </Section>
    </>
  );
}
