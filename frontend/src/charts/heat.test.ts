import { expect, it } from 'vitest';
import { type Heat, heatScale, heightOf, logTicks, spotAt, strengthOf } from './heat';

const heat = (firstSecond: number, edgesMs: number[], columns: number[][]): Heat => ({
  id: 'a',
  name: 'A',
  colour: 0,
  excluded: false,
  firstSecond,
  secondsPerColumn: 2,
  edgesMs,
  columns,
});

const ONE = heat(
  -2,
  [1, 2, 4],
  [
    [3, 0],
    [0, 9],
  ],
);
const SCALE = heatScale([ONE, heat(0, [4, 8, 16], [[1, 1]]), heat(0, [], [])]);

it('gives several heat maps one scale', () => {
  expect(SCALE).toEqual({ lowMs: 1, highMs: 16, firstSecond: -2, endSecond: 2, most: 9 });
  expect([1, 4, 16, 99].map((ms) => heightOf(ms, SCALE))).toEqual([0, 0.5, 1, 1]);
  expect(logTicks(SCALE)).toEqual([1, 2, 5, 10]);
});

it('shows one request faintly and hides empty cells', () => {
  expect(strengthOf(0, 9)).toBe(0);
  expect(strengthOf(1, 1_000_000)).toBeGreaterThan(0.08);
  expect(strengthOf(9, 9)).toBe(1);
});

it('finds the data under the pointer', () => {
  expect(spotAt(ONE, SCALE, 0.6, 0.3)).toEqual({ second: 0, lowMs: 2, highMs: 4, count: 9 });
  expect(spotAt(ONE, SCALE, 0.6, 0.9)).toBeNull();
});
