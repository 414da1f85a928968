/** Orders cells by one metric. Ranks and ratios come from the server, which does all statistics. */
import type { GroupRanking, MetricSummary, RunCell } from '@/api/runs';

export interface MeasuredCell {
  cell: RunCell;
  /** Null when no trial has this value. */
  summary: MetricSummary | null;
}

export type RankedCell = MeasuredCell &
  Pick<GroupRanking['cells'][number], 'rank' | 'ratio'> & { isBaseline: boolean };

/** Return the cells in the ranking's order: best estimate first, then excluded cells, then cells without a value. */
export function rankCells(cells: readonly RunCell[], ranking: GroupRanking): RankedCell[] {
  return ranking.cells.flatMap(({ cell_id: id, rank, ratio }) => {
    const cell = cells.find((cell) => cell.id === id);
    if (cell === undefined) return [];
    const isBaseline = ranking.baseline === id;
    return [{ cell, summary: cell.summary[ranking.metric] ?? null, rank, ratio, isBaseline }];
  });
}

/** Return the range within which values may differ from the best by noise of the host; null when unknown. */
export function noiseBand(
  ranked: readonly MeasuredCell[],
  smallestRatio: number | undefined,
): [low: number, high: number] | null {
  const best = ranked.find(({ cell, summary }) => summary !== null && !cell.excluded)?.summary;
  if (!best || smallestRatio === undefined || smallestRatio <= 1) return null;
  return [best.estimate / smallestRatio, best.estimate * smallestRatio];
}
