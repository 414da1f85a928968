import { Link } from '@tanstack/react-router';
import type { Occurrence } from '@/api/schedules';
import { OutcomeBadge } from '@/components/OutcomeBadge';
import { formatCount, formatDateTime, words } from '@/lib/format';
import classes from './Schedules.module.css';

/** The times that came, and what became of each. */
export function Occurrences({ occurrences }: { occurrences: readonly Occurrence[] }) {
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label="Last times">
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Due</th>
            <th scope="col">Result</th>
            <th scope="col">Run</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {occurrences.map((one) => (
            <tr key={one.due_at}>
              <td>
                <time dateTime={one.due_at}>{formatDateTime(one.due_at)}</time>
              </td>
              <td>
                <OutcomeBadge outcome={one.status} />
              </td>
              <td>
                {one.run_slug === null ? (
                  '–'
                ) : (
                  <Link to="/runs/$run" params={{ run: one.run_slug }}>
                    {one.run_slug}
                  </Link>
                )}
              </td>
              <td>
                <Why occurrence={one} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Why({ occurrence }: { occurrence: Occurrence }) {
  const { reason, detail, skipped, status, expected_by: by } = occurrence;
  return (
    <>
      {reason !== null && (
        <div>
          {words(reason)}. <span className={classes.quiet}>{detail}</span>
        </div>
      )}
      {skipped > 0 && (
        <div>{formatCount(skipped, 'earlier time')} came and went while Tacho was down.</div>
      )}
      {status === 'waiting' && by !== null && (
        <span className={classes.quiet}>late after {formatDateTime(by)}</span>
      )}
    </>
  );
}
