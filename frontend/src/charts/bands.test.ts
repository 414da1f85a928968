import { describe, expect, it } from 'vitest';
import cases from './band-cases.json';
import { bandOver, type BandPoint, median, thinOut } from './bands';

it.each([
  [[3], 3],
  [[5, 1, 3], 3],
  [[4, 1, 3, 2], 2.5],
])('finds the median of %j', (values, expected) => {
  expect(median(values)).toBe(expected);
});

describe('bandOver', () => {
  it('gives the median and the range of the values at each second', () => {
    const trials = [
      [
        { x: -1, y: 9 },
        { x: 0, y: 1 },
      ],
      [
        { x: 0, y: 5 },
        { x: 1, y: null },
      ],
      [{ x: 0, y: 3 }],
    ];
    expect(bandOver(trials)).toEqual([
      { x: -1, low: 9, middle: 9, high: 9 },
      { x: 0, low: 1, middle: 3, high: 5 },
      { x: 1, low: null, middle: null, high: null },
    ]);
  });
});

describe('thinOut', () => {
  const toPoints = (rows: readonly (readonly (number | null)[])[]): BandPoint[] =>
    rows.map(([x, low, middle, high]) => ({
      x: x ?? Number.NaN,
      low: low ?? null,
      middle: middle ?? null,
      high: high ?? null,
    }));

  it.each(cases)('reduces seconds: $name', ({ limit, points, thin }) => {
    expect(thinOut(toPoints(points), limit)).toEqual(toPoints(thin));
  });

  it('returns no points for no points', () => {
    expect(thinOut([], 100)).toEqual([]);
  });
});
