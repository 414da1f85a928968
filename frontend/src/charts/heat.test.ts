import { expect, it } from 'vitest';
import { type Heat, heatScale, heightOf, spotAt, strengthOf } from './heat';
import { keySteps } from './heat-key';

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
});

it('shows one request faintly and hides empty cells', () => {
  expect(strengthOf(0, 9)).toBe(0);
  expect(strengthOf(1, 1_000_000)).toBeGreaterThan(0.08);
  expect(strengthOf(9, 9)).toBe(1);
});

it('finds the data under the pointer', () => {
  expect(spotAt(ONE, SCALE, { across: 0.6, up: 0.3 })).toEqual({
    second: 0,
    lowMs: 2,
    highMs: 4,
    count: 9,
  });
  expect(spotAt(ONE, SCALE, { across: 0.6, up: 0.9 })).toBeNull();
});

it('explains in its key how strongly counts are drawn', () => {
  const steps = keySteps(5000);
  expect([steps[0]?.count, steps.at(-1)]).toEqual([1, { count: 5000, strength: 1 }]);
  expect(steps.map(({ strength }) => strength)).toEqual(
    [...steps.map(({ strength }) => strength)].sort((a, b) => a - b),
  );
  expect(keySteps(1)).toEqual([{ count: 1, strength: 1 }]);
});
