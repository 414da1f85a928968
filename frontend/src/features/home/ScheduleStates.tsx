import { Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { LatestResultOut, ScheduleState } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { OutcomeBadge } from '@/components/OutcomeBadge';
import ui from '@/components/ui.module.css';
import { formatCount, formatDateTime } from '@/lib/format';
import classes from './Home.module.css';

/** Lists schedules with their newest result and its difference from the one before. */
export function ScheduleStates({ schedules }: { schedules: readonly ScheduleState[] }) {
  return (
    <ul className={ui.list}>
      {schedules.map((schedule) => (
        <li key={schedule.id} className={classes.schedule}>
          <div className={classes.what}>
            <Link to="/schedules/$id" params={{ id: schedule.id }} className={ui.link}>
              {schedule.name}
            </Link>
            <span className={ui.quiet}>
              {schedule.words} on {schedule.host}
            </span>
          </div>
          <div className={classes.result}>
            {schedule.latest === null ? (
              <span className={ui.quiet}>No result yet</span>
            ) : (
              <Latest latest={schedule.latest} />
            )}
          </div>
          <Timing schedule={schedule} />
        </li>
      ))}
    </ul>
  );
}

function Latest({ latest }: { latest: LatestResultOut }) {
  const { run, shifts } = latest;
  const [first, ...others] = shifts;
  return (
    <>
      {first === undefined ? (
        <span>{describeSteady(latest)}</span>
      ) : (
        <span>
          {first.metric_title} of {first.framework.name} on {first.scenario.name}:{' '}
          <strong className={classes.figure} data-better={first.is_better}>
            {first.text}
          </strong>{' '}
          of the run before, {first.is_better ? 'better' : 'worse'}
          {others.length > 0 &&
            `; ${formatCount(others.length, 'other result differs', 'other results differ')}`}
        </span>
      )}
      <span className={ui.quiet}>
        <Link to="/r/$run" params={{ run: run.slug }}>
          {run.title}
        </Link>{' '}
        <Ago at={run.finished_at ?? run.created_at} />
      </span>
    </>
  );
}

function describeSteady({ previous_slug: previous, compared }: LatestResultOut): string {
  if (previous === null) return 'First result: there is no earlier run to compare with';
  if (compared === 0) return 'No result can be compared with the run before';
  return `No difference from the run before is shown in ${formatCount(compared, 'result')}`;
}

/** Shows that the newest result is missing, or when the next run starts. */
function Timing({ schedule }: { schedule: ScheduleState }) {
  const { newest, next_at: next } = schedule;
  if (newest !== null && (newest.status === 'missed' || newest.status === 'late')) {
    return (
      <Group component="span" gap="0 8px" align="baseline" justify="flex-end">
        <OutcomeBadge outcome={newest.status} />
        <span className={ui.quiet}>
          <Ago at={newest.due_at} />
        </span>
      </Group>
    );
  }
  return (
    <Group component="span" gap="0 8px" align="baseline" justify="flex-end">
      {next === null ? (
        <OutcomeBadge outcome="paused" />
      ) : (
        <span className={ui.quiet}>
          next <time dateTime={next}>{formatDateTime(next)}</time>
        </span>
      )}
    </Group>
  );
}
