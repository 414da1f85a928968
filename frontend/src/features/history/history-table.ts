/** The figure as a table: every point, with the change point that begins there. */
import type { HistoryChange, HistoryOut } from '@/api/schema';
import type { ChartTable, FigureOrigin } from '@/charts/ChartFigure';
import { describeTrialCounts } from '@/charts/figure-text';
import type { HistoryLine } from '@/charts/HistoryChart';
import { formatDay, formatEstimate, joinWords } from '@/lib/format';
import { pageLink } from '@/lib/installation';
import type { Span } from './lines';

export function historyTable(
  history: HistoryOut,
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

/** Return the first and the newest value of each line in a period. */
export function historySummary(
  lines: readonly HistoryLine[],
  unit: string,
  { from, to }: Span,
): ChartTable {
  return {
    columns: ['series', 'first', 'newest', 'runs'],
    rows: lines.map(({ name, dots }) => {
      const shown = dots.filter(({ at, excluded }) => at >= from && at <= to && !excluded);
      const show = (dot: HistoryLine['dots'][number] | undefined) =>
        formatEstimate(dot && { ...dot, unit });
      return [name, show(shown[0]), show(shown.at(-1)), String(shown.length)];
    }),
  };
}

/** Return what saved and copied figures name besides their title: hosts, n, period and link. */
export function historyOrigin(
  history: HistoryOut,
  lines: readonly HistoryLine[],
  { from, to }: Span,
): FigureOrigin {
  const hosts = [...new Set(history.series.map(({ host }) => host))];
  const counts = lines.flatMap(({ dots }) => dots.map(({ n }) => n));
  const [first, last] = [from, to].map((at) => formatDay(new Date(at).toISOString()));
  return {
    subject: `History of ${history.scenario.name}`,
    facts: [
      ...(lines.length === 1 ? lines.map(({ name }) => name) : [`hosts ${joinWords(hosts)}`]),
      describeTrialCounts(counts),
      first === last ? (first ?? '') : `${first ?? ''} to ${last ?? ''}`,
    ],
    link: pageLink(),
  };
}
