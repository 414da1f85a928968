import { expect, it } from 'vitest';
import { niceCeiling, niceTicks, quantileName, toTailPoints, secondTicks } from './series';

it.each([
  [0, 1],
  [0.8, 0.8],
  [0.81, 1],
  [1000, 1000],
  [1001, 1200],
  [1030, 1200],
  [2300, 2500],
  [0.031, 0.04],
  [0.85, 1],
])('ends the scale of %d at %d', (value, end) => expect(niceCeiling(value)).toBeCloseTo(end));

it.each([
  [1003, [0, 250, 500, 750, 1000, 1250]],
  [0.21, [0, 0.05, 0.1, 0.15, 0.2, 0.25]],
  [5, [0, 1, 2, 3, 4, 5]],
  [0, [0, 0.2, 0.4, 0.6, 0.8, 1]],
])('puts round ticks up to %d', (value, ticks) =>
  expect(niceTicks(value)).toEqual(ticks.map((tick) => expect.closeTo(tick) as number)),
);

it.each([
  [-4, 5, [-4, -2, 0, 2, 4]],
  [0, 30, [0, 5, 10, 15, 20, 25, 30]],
  [-60, 600, [0, 200, 400, 600]],
  [0, 0, [0]],
])('puts round seconds from %d to %d', (first, last, ticks) =>
  expect(secondTicks(first, last)).toEqual(ticks),
);

it('places percentiles by 1 / (1 − q) and names them', () => {
  const points = toTailPoints([
    { quantile: 0, latency_ms: 1 },
    { quantile: 0.99, latency_ms: 8 },
    { quantile: 1, latency_ms: 90 },
  ]);
  expect(points.map((point) => point.x)).toEqual([1, expect.closeTo(100)]);
  expect([2, 10, 100, 1000, 10_000].map(quantileName)).toEqual([
    'p50',
    'p90',
    'p99',
    'p99.9',
    'p99.99',
  ]);
});
