import { Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ScheduleOut } from '@/api/schema';
import { OutcomeBadge } from '@/components/OutcomeBadge';
import { Row } from '@/components/Row';
import ui from '@/components/ui.module.css';
import { formatCount, formatDateTime } from '@/lib/format';

/** Lists schedules with their next time and last scheduled runs. */
export function ScheduleList({ schedules }: { schedules: readonly ScheduleOut[] }) {
  return (
    <ul className={ui.rows}>
      {schedules.map((schedule) => (
        <ScheduleRow key={schedule.id} schedule={schedule} />
      ))}
    </ul>
  );
}

function describeTrials({ until, trials }: ScheduleOut['run']): string {
  if (until || typeof trials !== 'number') return ' until certain';
  return ` × ${formatCount(trials, 'trial')}`;
}

function ScheduleRow({ schedule }: { schedule: ScheduleOut }) {
  const [next] = schedule.next_times;
  const [last] = schedule.scheduled_runs;
  return (
    <Row columns="minmax(220px, 1.2fr) minmax(180px, 1fr) auto">
      <div>
        <Link to="/schedules/$id" params={{ id: schedule.id }} className={ui.link}>
          {schedule.name}
        </Link>
        <p className={ui.quiet}>
          {formatCount(schedule.run.cells.length, 'result')}
          {describeTrials(schedule.run)} on {schedule.host}
        </p>
      </div>
      <div>
        <div>{schedule.words}</div>
        <p className={ui.quiet}>
          {schedule.time_zone} ·{' '}
          {next === undefined ? 'paused' : `next ${formatDateTime(next)} (your time)`}
        </p>
      </div>
      <Group gap="4px 12px" align="baseline">
        {!schedule.enabled && <OutcomeBadge outcome="paused" />}
        {last ? (
          <span className={ui.inline} aria-label="Last scheduled runs, newest first">
            {schedule.scheduled_runs.slice(0, 5).map((scheduledRun, index) => (
              <OutcomeBadge
                key={`${scheduledRun.due_at} ${scheduledRun.host ?? ''}`}
                outcome={scheduledRun.status}
                compact={index > 0}
              />
            ))}
          </span>
        ) : (
          schedule.enabled && <span className={ui.quiet}>no result yet</span>
        )}
      </Group>
    </Row>
  );
}
