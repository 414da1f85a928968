import { describe, expect, it } from 'vitest';
import type { GroupRankingOut } from '@/api/schema';
import { cell, METRIC } from '@/features/run-result/test-cells';
import { noiseBand, rankCells } from './ranking';

describe('the ranking', () => {
  const cells = [
    cell({ name: 'C', value: [94, 92, 96] }),
    cell({ name: 'X', value: [10, 9, 11], excluded: true }),
    cell({ name: 'A', value: [61, 60, 63] }),
  ];
  const told = (id: string, rank: number | null) => ({ cell_id: id, rank, ratio: null });
  const ranked = rankCells(cells, {
    metric: METRIC,
    baseline: 'A',
    cells: [told('A', 1), told('C', 2), told('X', null)],
  } as unknown as GroupRankingOut);

  it('keeps the order and the ranks of the server', () =>
    expect(ranked.map((result) => [result.cell.id, result.rank, result.isBaseline])).toEqual([
      ['A', 1, true],
      ['C', 2, false],
      ['X', null, false],
    ]));

  it('returns the range around the best result that the host cannot distinguish', () => {
    expect(noiseBand(ranked, 1.22)).toEqual([50, 61 * 1.22]);
    expect(noiseBand(ranked, 1)).toBeNull();
    expect(noiseBand([], 1.2)).toBeNull();
  });
});
