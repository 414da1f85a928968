import { Link } from '@tanstack/react-router';
import type { ScheduledRun } from '@/api/schedules';
import { DataTable } from '@/components/data-table/DataTable';
import { OutcomeBadge } from '@/components/OutcomeBadge';
import { formatCount, formatDateTime, words } from '@/lib/format';
import classes from './Schedules.module.css';

/** Lists the newest scheduled runs with the result of each. */
export function ScheduledRuns({ scheduledRuns }: { scheduledRuns: readonly ScheduledRun[] }) {
  const hasSeveralHosts = new Set(scheduledRuns.map(({ host }) => host)).size > 1;
  return (
    <DataTable
      label="Scheduled runs"
      rows={scheduledRuns}
      rowKey={({ due_at: due, host }) => `${due} ${host ?? ''}`}
      columns={[
        {
          id: 'due',
          header: 'Due',
          cell: ({ due_at: due }) => <time dateTime={due}>{formatDateTime(due)}</time>,
        },
        ...(hasSeveralHosts
          ? [{ id: 'host', header: 'Host', cell: ({ host }: ScheduledRun) => host ?? '–' }]
          : []),
        { id: 'result', header: 'Result', cell: ({ status }) => <OutcomeBadge outcome={status} /> },
        {
          id: 'run',
          header: 'Run',
          cell: ({ run_slug: run }) =>
            run === null ? (
              '–'
            ) : (
              <Link to="/runs/$run" params={{ run }}>
                {run}
              </Link>
            ),
        },
        {
          id: 'reason',
          header: 'Reason',
          wraps: true,
          cell: (scheduledRun) => <Why scheduledRun={scheduledRun} />,
        },
      ]}
    />
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
