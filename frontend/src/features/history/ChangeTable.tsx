import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { HistoryChange, HistoryOut } from '@/api/schema';
import type { HistoryLine } from '@/charts/HistoryChart';
import { named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { Hint } from '@/components/Hint';
import { Marker } from '@/components/Marker';
import ui from '@/components/ui.module.css';
import { formatDateTime, words } from '@/lib/format';
import { formatRatio } from '@/lib/ratio';
import classes from './HistoryView.module.css';
import { differencesNear } from './lines';

interface ChangeTableProps {
  history: HistoryOut;
  /** Change points of each series. */
  changes: readonly (readonly HistoryChange[])[];
  lines: readonly HistoryLine[];
}

/** Lists the change points shown, newest first, with other changes near them. */
export const ChangeTable = memo(function ChangeTable(props: ChangeTableProps) {
  const { history, changes, lines } = props;
  const rows = changes
    .flatMap((own, index) =>
      own.map((change) => ({ change, index, events: history.series[index]?.events ?? [] })),
    )
    .sort((a, b) => Date.parse(b.change.at) - Date.parse(a.change.at));
  const isShort = history.series.some(({ points }) => points.length < history.min_points);
  return (
    <DataTable
      label="Level shifts"
      rows={rows}
      rowKey={({ change, index }) => `${index} ${change.run_slug}`}
      layout="cards"
      empty={
        isShort
          ? `No level shifts at this sensitivity. A series needs at least ${history.min_points} points.`
          : 'No level shifts at this sensitivity.'
      }
      columns={[
        {
          id: 'since',
          header: 'Since',
          card: 'title',
          cell: ({ change, index }) => (
            <>
              <span className={classes.run}>
                <Marker colour={lines[index]?.colour ?? index} />
                <Link to="/r/$run" params={{ run: change.run_slug }}>
                  {formatDateTime(change.at)}
                </Link>
              </span>
              {lines.length > 1 && <div className={classes.series}>{lines[index]?.name}</div>}
            </>
          ),
        },
        {
          id: 'ratio',
          header: 'Ratio',
          isNumeric: true,
          card: 'value',
          cell: ({ change }) => (
            <Hint text={`p = ${change.p_value.toExponential(1)}`}>{formatRatio(change.ratio)}</Hint>
          ),
        },
        {
          id: 'interval',
          header: '95 % interval',
          isNumeric: true,
          card: 'end',
          cell: ({ change }) => `[${change.low.toPrecision(3)}, ${change.high.toPrecision(3)}]`,
        },
        {
          id: 'status',
          header: 'Status',
          card: 'foot',
          cell: ({ change }) => (
            <>
              {change.known ? (
                <Link to="/changes/$id" params={{ id: change.known.id }}>
                  {words(change.known.status)}
                </Link>
              ) : (
                'not reported'
              )}
              {change.is_adjusted && <div className={ui.quiet}>adjusted for the host</div>}
            </>
          ),
        },
        {
          id: 'causes',
          ...named('Other changes'),
          wraps: true,
          tone: () => 'muted',
          cell: ({ change, events }) => {
            const causes = differencesNear(change, events);
            return (
              <div className={classes.causes}>
                {causes.length === 0 ? 'none recorded' : causes.join('; ')}
              </div>
            );
          },
        },
      ]}
    />
  );
});
