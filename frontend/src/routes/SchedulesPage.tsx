import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { useAccess } from '@/api/session';
import { DenialNote } from '@/components/DenialNote';
import { LinkButton } from '@/components/LinkButton';
import { PageHeader } from '@/components/Page';
import { EmptyState, Loaded } from '@/components/States';
import { ScheduleList } from '@/features/schedules/ScheduleList';

export function SchedulesPage(): ReactNode {
  const query = api.useQuery('get', '/api/v1/schedules');
  const { isAllowed, denial } = useAccess('manage');
  const choose = isAllowed ? (
    <LinkButton to="/runs/new">New schedule</LinkButton>
  ) : (
    <DenialNote denial={denial} action="create schedules" />
  );
  return (
    <>
      <PageHeader
        title="Schedules"
        meta="Runs at fixed times, with an alert when a result is missing."
        actions={query.data?.items.length === 0 ? undefined : choose}
      />
      <Loaded query={query}>
        {({ items: schedules }) =>
          schedules.length === 0 ? (
            <EmptyState title="No schedules yet" action={choose}>
              Select what to measure on New run, then press “Schedule…”. Repeating a run every night
              or week builds a history in which Tacho detects changes.
            </EmptyState>
          ) : (
            <ScheduleList schedules={schedules} />
          )
        }
      </Loaded>
    </>
  );
}
