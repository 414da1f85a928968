/** Orders cells by one metric. Ranks and ratios come from the server, which does all statistics. */
import type { CellOut, GroupRankingOut, MetricSummary } from '@/api/schema';

export interface MeasuredCell {
  cell: CellOut;
  /** Null when no trial has this value. */
  summary: MetricSummary | null;
}

export type RankedCell = MeasuredCell &
  Pick<GroupRankingOut['cells'][number], 'rank' | 'ratio'> & { isBaseline: boolean };

/** Return the cells in the ranking's order: best estimate first, then excluded cells, then cells without a value. */
export function rankCells(cells: readonly CellOut[], ranking: GroupRankingOut): RankedCell[] {
  return ranking.cells.flatMap(({ cell_id: id, rank, ratio }) => {
    const cell = cells.find((cell) => cell.id === id);
    if (cell === undefined) return [];
    const isBaseline = ranking.baseline === id;
    return [{ cell, summary: cell.summary[ranking.metric] ?? null, rank, ratio, isBaseline }];
  });
}

/** Return the range of values whose difference from the best the host cannot detect; null when unknown. */
export function noiseBand(
  ranked: readonly MeasuredCell[],
  detectableRatio: number,
): [low: number, high: number] | null {
  const best = ranked.find(({ cell, summary }) => summary !== null && !cell.excluded)?.summary;
  if (!best || detectableRatio <= 1) return null;
  return [best.estimate / detectableRatio, best.estimate * detectableRatio];
}
