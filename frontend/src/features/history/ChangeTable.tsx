import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { History, HistoryChange } from '@/api/history';
import type { HistoryLine } from '@/charts/HistoryChart';
import { Marker } from '@/components/Marker';
import { formatDateTime, words } from '@/lib/format';
import classes from './HistoryView.module.css';
import { differencesNear, ratioText } from './lines';

interface ChangeTableProps {
  history: History;
  /** Of each series. */
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
  if (rows.length === 0) {
    return (
      <p className={classes.none}>
        No level shifts at this sensitivity. A series needs at least 20 points.
      </p>
    );
  }
  return (
    <div className={classes.scroll}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Since</th>
            <th scope="col" className={classes.number}>
              Ratio
            </th>
            <th scope="col" className={classes.number}>
              95 % interval
            </th>
            <th scope="col">Status</th>
            <th scope="col">Other changes</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ change, index, events }) => {
            const causes = differencesNear(change, events);
            return (
              <tr key={`${String(index)} ${change.run_slug}`}>
                <td>
                  <span className={classes.run}>
                    <Marker colour={lines[index]?.colour ?? index} />
                    <Link to="/runs/$run" params={{ run: change.run_slug }}>
                      {formatDateTime(change.at)}
                    </Link>
                  </span>
                  {lines.length > 1 && <div className={classes.series}>{lines[index]?.name}</div>}
                </td>
                <td className={classes.number} title={`p = ${change.p_value.toExponential(1)}`}>
                  {ratioText(change.ratio)}
                </td>
                <td className={classes.number}>
                  [{change.low.toPrecision(3)}, {change.high.toPrecision(3)}]
                </td>
                <td>
                  {change.known ? (
                    <Link to="/changes/$id" params={{ id: change.known.id }}>
                      {words(change.known.status)}
                    </Link>
                  ) : (
                    '–'
                  )}
                  {change.is_adjusted && <div className={classes.aside}>adjusted for the host</div>}
                </td>
                <td className={classes.causes}>
                  {causes.length === 0 ? 'none recorded' : causes.join('; ')}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
});
