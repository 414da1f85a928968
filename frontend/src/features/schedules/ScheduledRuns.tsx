import { Link } from '@tanstack/react-router';
import type { ScheduledRunOut } from '@/api/schema';
import { DataTable } from '@/components/data-table/DataTable';
import { OutcomeBadge } from '@/components/OutcomeBadge';
import ui from '@/components/ui.module.css';
import { formatCount, formatDateTime, keepRatio, words } from '@/lib/format';

/** Lists the newest scheduled runs with the result of each. */
export function ScheduledRuns({ scheduledRuns }: { scheduledRuns: readonly ScheduledRunOut[] }) {
  const hasReasons = scheduledRuns.some(
    ({ reason, skipped, status }) => reason !== null || skipped > 0 || status === 'waiting',
  );
  const hasSeveralHosts = new Set(scheduledRuns.map(({ host }) => host)).size > 1;
  return (
    <DataTable
      label="Scheduled runs"
      rows={scheduledRuns}
      rowKey={({ due_at: due, host }) => `${due} ${host ?? ''}`}
      layout="cards"
      columns={[
        {
          header: 'Due',
          card: 'foot',
          cell: ({ due_at: due }) => <time dateTime={due}>{formatDateTime(due)}</time>,
        },
        ...(hasSeveralHosts
          ? [
              {
                header: 'Host',
                card: 'foot' as const,
                cell: ({ host }: ScheduledRunOut) => host ?? '–',
              },
            ]
          : []),
        { header: 'Result', card: 'end', cell: ({ status }) => <OutcomeBadge outcome={status} /> },
        {
          header: 'Run',
          wraps: true,
          card: 'line',
          cell: ({ run_slug: run, run_status: status, run_summary: summary }) =>
            run === null ? (
              '–'
            ) : (
              <Link to="/r/$run" params={{ run }}>
                {summary === null ? `Run ${run}, ${words(status ?? '')}` : keepRatio(summary)}
              </Link>
            ),
        },
        ...(hasReasons
          ? [
              {
                header: 'Reason',
                wraps: true,
                cell: (scheduledRun: ScheduledRunOut) => <Why scheduledRun={scheduledRun} />,
              },
            ]
          : []),
      ]}
    />
  );
}

function Why({ scheduledRun }: { scheduledRun: ScheduledRunOut }) {
  const { reason, detail, skipped, status, expected_by: by } = scheduledRun;
  return (
    <>
      {reason !== null && (
        <div>
          {words(reason)}. <span className={ui.quiet}>{detail}</span>
        </div>
      )}
      {skipped > 0 && <div>Tacho was down and skipped {formatCount(skipped, 'earlier run')}.</div>}
      {status === 'waiting' && by !== null && (
        <span className={ui.quiet}>late after {formatDateTime(by)}</span>
      )}
    </>
  );
}
