import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api } from '@/api/client';
import type { ScheduleOut } from '@/api/schema';

import { Notice } from '@/components/Notice';
import { MetaLine, PageHeader, Section } from '@/components/Page';
import { EmptyState, Loaded } from '@/components/States';
import { ScheduledRuns } from '@/features/schedules/ScheduledRuns';
import { ScheduleActions } from '@/features/schedules/ScheduleActions';
import { ScheduleForm } from '@/features/schedules/ScheduleForm';
import { WhatAndWhen } from '@/features/schedules/WhatAndWhen';
import { fromCron } from '@/features/schedules/timing';
import { words } from '@/lib/format';
import { useDocumentTitle } from '@/lib/hooks';
import { Missing } from './missing-lazy';

const route = getRouteApi('/schedules/$id');

export function SchedulePage(): ReactNode {
  const { id } = route.useParams();
  const query = api.useQuery('get', '/api/v1/schedules/{schedule_id}', {
    params: { path: { schedule_id: id } },
  });
  useDocumentTitle(query.data?.name ?? 'Schedule');
  return (
    <Loaded query={query} missing={<Missing noun="schedule" asked={id} />}>
      {(schedule) => <Shown schedule={schedule} />}
    </Loaded>
  );
}

function Shown({ schedule }: { schedule: ScheduleOut }) {
  const navigate = useNavigate();
  const [edits, setEdits] = useState(false);
  const change = api.useMutation('patch', '/api/v1/schedules/{schedule_id}');
  const [newest] = schedule.scheduled_runs;
  const missed = schedule.scheduled_runs.find(
    ({ due_at: due, status }) => due === newest?.due_at && status === 'missed',
  );
  return (
    <>
      <PageHeader
        title={schedule.name}
        meta={
          <MetaLine>
            {`${schedule.words}, ${schedule.time_zone}`}
            <HistoryLink schedule={schedule} />
          </MetaLine>
        }
        actions={
          <ScheduleActions
            schedule={schedule}
            onEdit={() => setEdits(true)}
            onStarted={(run) =>
              void (run.group
                ? navigate({ to: '/g/$group', params: { group: run.group.slug } })
                : navigate({ to: '/r/$run', params: { run: run.slug } }))
            }
            onDeleted={() => void navigate({ to: '/schedules' })}
          />
        }
      />
      {missed?.reason != null && (
        <Notice
          title={`The last scheduled run has no result: ${words(missed.reason).toLowerCase()}`}
        >
          {missed.detail}
        </Notice>
      )}
      {edits && (
        <Section title="Edit">
          <ScheduleForm
            draft={`schedule.${schedule.id}`}
            name={schedule.name}
            timing={fromCron(schedule.cron, schedule.time_zone)}
            button="Save"
            onCancel={() => setEdits(false)}
            onSend={async (timing) => {
              await change.mutateAsync({
                params: { path: { schedule_id: schedule.id } },
                body: timing,
              });
              setEdits(false);
            }}
          />
        </Section>
      )}
      <Section title="Scheduled runs" hint="The last ten, in your time zone.">
        {schedule.scheduled_runs.length === 0 ? (
          <EmptyState title="None yet">The first one appears here when it starts.</EmptyState>
        ) : (
          <ScheduledRuns scheduledRuns={schedule.scheduled_runs} />
        )}
      </Section>
      <Section title="Plan">
        <WhatAndWhen schedule={schedule} />
      </Section>
    </>
  );
}

/** Leads to the history of the first scenario, with all frameworks that are measured in it. */
function HistoryLink({ schedule }: { schedule: ScheduleOut }) {
  const { cells } = schedule.run;
  const scenario = cells[0]?.scenario;
  const measured = cells.filter((cell) => cell.scenario === scenario);
  const frameworks = [...new Set(measured.map(({ framework }) => framework))];
  return (
    <Link to="/history" search={{ scenario, framework: frameworks }}>
      History of its results
    </Link>
  );
}
