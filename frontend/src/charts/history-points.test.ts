import { describe, expect, it } from 'vitest';
import { type HistoryLine, placePoints, splitAtGaps } from './history-points';

function line(id: string, ...times: number[]): HistoryLine {
  return {
    id,
    name: id,
    owner: id,
    label: id,
    colour: 0,
    dash: undefined,
    band: null,
    dots: times.map((at) => ({
      runId: `run ${at}`,
      cellId: `${id} ${at}`,
      at,
      estimate: at,
      low: null,
      high: null,
      excluded: false,
      n: 5,
    })),
  };
}

const HOUR = 3_600_000;

describe('placePoints', () => {
  const lines = [line('a', 0, 10, 20, 9 * HOUR), line('b', 10, 9 * HOUR)];

  it('places points by time, and leaves out others', () => {
    const { lines: placed, rows, domain } = placePoints(lines, { from: 10, to: 20, axis: 'time' });
    expect(placed.map(({ dots }) => dots.map(({ x }) => x))).toEqual([[10, 20], [10]]);
    expect(rows.map(({ x, points }) => [x, Object.keys(points)])).toEqual([
      [10, ['a', 'b']],
      [20, ['a']],
    ]);
    expect(domain).toEqual([10 - 60_000, 20 + 60_000]);
  });

  it('places runs at equal distances', () => {
    const span = { from: 0, to: 9 * HOUR, axis: 'run' as const };
    const { lines: placed, domain, placeOf, timeOf } = placePoints(lines, span);
    expect(placed.map(({ dots }) => dots.map(({ x }) => x))).toEqual([
      [0, 1, 2, 3],
      [1, 3],
    ]);
    expect(domain).toEqual([-0.5, 3.5]);
    expect([placeOf(20), placeOf(21), placeOf(10 * HOUR)]).toEqual([1.5, 2.5, 3.5]);
    expect([timeOf(0), timeOf(3)]).toEqual([0, 9 * HOUR]);
  });
});

describe('splitAtGaps', () => {
  const split = (...times: number[]) =>
    splitAtGaps(
      placePoints([line('a', ...times)], { from: 0, to: 1e9, axis: 'time' }).lines[0]?.dots ?? [],
    ).map((part) => part.map(({ x }) => x));

  it('breaks the line where runs are missing for long', () =>
    expect(split(1, 2, 3, 40, 41)).toEqual([
      [1, 2, 3],
      [40, 41],
    ]));

  it('joins evenly distributed points', () => {
    expect(split(1, 2, 3, 6, 7)).toEqual([[1, 2, 3, 6, 7]]);
    expect(split()).toEqual([[]]);
  });
});
