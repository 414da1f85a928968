/** The figure as a table: every point, with the change point that begins there. */
import type { History, HistoryChange } from '@/api/history';
import type { ChartTable } from '@/charts/ChartFigure';
import type { HistoryLine } from '@/charts/HistoryChart';

export function historyTable(
  history: History,
  lines: readonly HistoryLine[],
  changes: readonly (readonly HistoryChange[])[],
): ChartTable {
  return {
    columns: ['series', 'at', 'run', 'estimate', 'low', 'high', 'n', 'unit', 'change'],
    rows: history.series.flatMap((series, index) =>
      series.points.map((point, place) => [
        lines[index]?.name,
        point.at,
        point.run_slug,
        point.estimate,
        point.low,
        point.high,
        point.n,
        history.unit,
        changes[index]?.find((change) => change.index === place)?.ratio ?? null,
      ]),
    ),
  };
}
