/** The chart of an incident as a table, a summary and a line; pure. */
import type { ChangeOut } from '@/api/schema';
import type { ChartTable, FigureOrigin } from '@/charts/ChartFigure';
import { describeTrialCounts } from '@/charts/figure-text';
import type { HistoryLine } from '@/charts/HistoryChart';
import { formatDay } from '@/lib/format';
import { pageLink } from '@/lib/installation';
import { describeLoad } from '@/lib/load';
import { formatRatio, formatRatioInterval } from '@/lib/ratio';
import { sizeOf } from './sizes';

export function incidentLine(change: ChangeOut): HistoryLine {
  const { framework } = change;
  return {
    id: change.id,
    name: framework.name,
    owner: framework.name,
    label: framework.name,
    colour: framework.colour,
    dash: undefined,
    band: null,
    dots: change.points.map((point) => ({
      runId: point.run_slug,
      cellId: point.cell_id,
      at: Date.parse(point.at),
      estimate: point.estimate,
      low: point.low,
      high: point.high,
      excluded: false,
      n: point.n,
    })),
  };
}

export function incidentTable(change: ChangeOut): ChartTable {
  return {
    columns: ['at', 'run', 'estimate', 'low', 'high', 'n', 'unit', 'level'],
    rows: change.points.map((point) => [
      point.at,
      point.run_slug,
      point.estimate,
      point.low,
      point.high,
      point.n,
      change.unit,
      point.is_after ? 'new' : 'old',
    ]),
  };
}

/** Return the ratio of the new to the old level. */
export function incidentSummary(change: ChangeOut): ChartTable {
  const size = sizeOf(change);
  return {
    columns: ['series', 'new ÷ old', 'status'],
    rows: [
      [
        `${change.framework.name} on ${change.scenario.name}`,
        `${formatRatio(size.ratio)} ${formatRatioInterval(size) ?? ''}`.trim(),
        change.status.replaceAll('_', ' '),
      ],
    ],
  };
}

export function incidentOrigin(change: ChangeOut): FigureOrigin {
  return {
    subject: `Change of ${change.framework.name} on ${change.scenario.name}`,
    facts: [
      change.host,
      describeLoad(change),
      describeTrialCounts(change.points.map(({ n }) => n)),
      formatDay(change.at),
    ],
    link: pageLink(),
  };
}
