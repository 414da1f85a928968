import { describe, expect, it } from 'vitest';
import { cutWhisker, extentOf, logEnds, logTicks } from './scales';

const values = (...estimates: number[]) => estimates.map((estimate) => ({ estimate }));

describe('the rule for logarithmic axes', () => {
  it.each([
    ['a narrow range', [5, 80], false],
    ['exactly two decades', [1, 100], false],
    ['more than two decades', [1, 101], true],
    ['five decades', [10, 1_000_000], true],
    ['a value of 0, which has no logarithm', [0, 1, 1000], false],
    ['nothing', [], false],
  ])('%s', (_, estimates, isLog) => expect(extentOf(values(...estimates)).isLog).toBe(isLog));

  it('ignores whiskers, but makes space for them', () => {
    const extent = extentOf([
      { estimate: 10, low: 0.01, high: 900 },
      { estimate: 5, low: 4, high: 6 },
    ]);
    expect(extent).toEqual({ low: 3.125, high: 16, isLog: false });
  });

  it('includes whole ranges on request, which have no logarithm if they begin at 0', () => {
    const ranges = [{ estimate: 0.001, low: 0, high: 0.4 }, { estimate: 1 }];
    expect(extentOf(ranges, { hasRanges: true })).toEqual({ low: 0, high: 1, isLog: false });
    const idle = [{ estimate: 0, low: 0, high: 3 }];
    expect(extentOf(idle, { hasRanges: true })).toEqual({ low: 0, high: 3, isLog: false });
  });
});

it.each([
  [1, 100, 7, [1, 2, 5, 10, 20, 50, 100]],
  [10, 100_000, 7, [10, 100, 1000, 10_000, 100_000]],
  [0.5, 200, 7, [1, 3, 10, 30, 100]],
  [1e-3, 1e6, 5, [1e-3, 0.1, 10, 1000, 1e5]],
])('puts round ticks between %d and %d', (low, high, most, ticks) =>
  expect(logTicks(low, high, most)).toEqual(ticks.map((tick) => expect.closeTo(tick) as number)),
);

it('ends a logarithmic axis at round values', () => {
  expect(logEnds(0.32, 740)).toEqual([expect.closeTo(0.2), 1000]);
  expect(logEnds(10, 100_000)).toEqual([10, 100_000]);
});

describe('cutWhisker', () => {
  it('reports the ends that an axis does not show', () => {
    expect(cutWhisker({ low: 2, high: 9 }, [0, 10])).toEqual({
      low: 2,
      high: 9,
      isLowCut: false,
      isHighCut: false,
    });
    expect(cutWhisker({ low: 0.1, high: 900 }, [1, 16])).toEqual({
      low: 1,
      high: 16,
      isLowCut: true,
      isHighCut: true,
    });
  });

  it('is null without an interval', () =>
    expect(cutWhisker({ low: null, high: null }, [0, 1])).toBeNull());
});
