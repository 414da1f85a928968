import { Link } from '@tanstack/react-router';
import type { ScheduledRun } from '@/api/schedules';
import { OutcomeBadge } from '@/components/OutcomeBadge';
import { formatCount, formatDateTime, words } from '@/lib/format';
import classes from './Schedules.module.css';

/** The newest scheduled runs with the result of each. */
export function ScheduledRuns({ scheduledRuns }: { scheduledRuns: readonly ScheduledRun[] }) {
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label="Scheduled runs">
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Due</th>
            <th scope="col">Result</th>
            <th scope="col">Run</th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {scheduledRuns.map((scheduledRun) => (
            <tr key={scheduledRun.due_at}>
              <td>
                <time dateTime={scheduledRun.due_at}>{formatDateTime(scheduledRun.due_at)}</time>
              </td>
              <td>
                <OutcomeBadge outcome={scheduledRun.status} />
              </td>
              <td>
                {scheduledRun.run_slug === null ? (
                  '–'
                ) : (
                  <Link to="/runs/$run" params={{ run: scheduledRun.run_slug }}>
                    {scheduledRun.run_slug}
                  </Link>
                )}
              </td>
              <td>
                <Why scheduledRun={scheduledRun} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Why({ scheduledRun }: { scheduledRun: ScheduledRun }) {
  const { reason, detail, skipped, status, expected_by: by } = scheduledRun;
  return (
    <>
      {reason !== null && (
        <div>
          {words(reason)}. <span className={classes.quiet}>{detail}</span>
        </div>
      )}
      {skipped > 0 && <div>Tacho was down and skipped {formatCount(skipped, 'earlier run')}.</div>}
      {status === 'waiting' && by !== null && (
        <span className={classes.quiet}>late after {formatDateTime(by)}</span>
      )}
    </>
  );
}
