/** The rows of the provisional ranking; pure. */
import type { CellOut, GroupRankingOut, MetricSummary, RunOut } from '@/api/schema';
import { formatCount, formatInterval, formatValue, formatValues } from '@/lib/format';

export interface ProvisionalRow {
  cell: CellOut;
  rank: number | null;
  /** Trials with a value. */
  n: number;
  value: string;
  /** `[60, 63]`, or the values of the first trials. */
  interval: string;
  ratio: string;
  /** `2 of 5 trials`. */
  trials: string;
}

/** Return the cells of a group in rank order; those without a value come last. */
export function listProvisional(run: RunOut, ranking: GroupRankingOut): ProvisionalRow[] {
  return ranking.cells.flatMap(({ cell_id: id, rank, ratio }) => {
    const cell = run.cells.find((candidate) => candidate.id === id);
    if (cell === undefined) return [];
    const summary = cell.summary[ranking.metric];
    return [
      {
        cell,
        rank,
        n: summary?.n ?? 0,
        value: summary ? formatValue(summary.estimate, summary.unit) : 'no result yet',
        interval: summary ? describeSpread(summary) : '',
        ratio: describeRatio(cell, ranking, summary, ratio),
        trials: run.goal
          ? formatCount(cell.trials_succeeded, 'trial')
          : `${cell.trials_succeeded} of ${formatCount(run.trials_per_cell, 'trial')}`,
      },
    ];
  });
}

function describeSpread({ estimate, low, high, values, unit }: MetricSummary): string {
  const interval = formatInterval(estimate, low, high, unit);
  if (interval !== null) return interval;
  const [first, ...others] = values ?? [];
  return first === undefined || others.length === 0 ? '' : formatValues([first, ...others], unit);
}

function describeRatio(
  cell: CellOut,
  { baseline }: GroupRankingOut,
  summary: MetricSummary | undefined,
  ratio: GroupRankingOut['cells'][number]['ratio'],
): string {
  if (cell.excluded) return 'excluded';
  if (summary === undefined) return '';
  if (cell.id === baseline) return '1×';
  return ratio?.text ?? '';
}
