import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { scheduleQueries } from '@/api/schedules';
import { PageHeader } from '@/components/Page';
import { EmptyState, Loaded } from '@/components/States';
import { ScheduleList } from '@/features/schedules/ScheduleList';
import { useDocumentTitle } from '@/lib/hooks';

export function SchedulesPage(): ReactNode {
  useDocumentTitle('Schedules');
  const query = useQuery(scheduleQueries.list());
  const choose = (
    <Button renderRoot={(props) => <Link to="/runs/new" {...props} />} size="xs" variant="default">
      Choose what to measure
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Schedules"
        meta="Runs by the clock, and a watch over their results."
        actions={choose}
      />
      <Loaded query={query}>
        {(schedules) =>
          schedules.length === 0 ? (
            <EmptyState title="Nothing is measured by the clock yet" action={choose}>
              Choose cells on New run, then “Schedule this…”: the same run every night or week makes
              a history in which changes are found.
            </EmptyState>
          ) : (
            <ScheduleList schedules={schedules} />
          )
        }
      </Loaded>
    </>
  );
}
