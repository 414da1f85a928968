import { expect, it } from 'vitest';
import { type Heat, heatScale, heightOf, moveBy, spotAt, strengthOf } from './heat';
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

it('moves by one field with each arrow key, and stays within the data', () => {
  const walk = (...keys: string[]) =>
    keys.reduce<ReturnType<typeof moveBy>>((at, key) => moveBy(key, ONE, SCALE, at), null);
  const fieldAt = (...keys: string[]) => {
    const at = walk(...keys);
    return at && spotAt(ONE, SCALE, at);
  };
  const first = { second: -1, lowMs: 1, highMs: 2, count: 3 };
  expect(fieldAt('ArrowUp')).toEqual(first);
  expect(fieldAt('ArrowUp', 'ArrowLeft', 'ArrowDown')).toEqual(first);
  const last = { second: 1, lowMs: 2, highMs: 4, count: 9 };
  expect(fieldAt('Home', 'ArrowRight', 'ArrowUp')).toEqual(last);
  expect(fieldAt('Home', 'End', 'ArrowUp', 'ArrowUp', 'ArrowRight')).toEqual(last);
  expect(walk('Tab')).toBeNull();
});

it('explains in its key how strongly counts are drawn', () => {
  const steps = keySteps(5000);
  expect([steps[0]?.count, steps.at(-1)]).toEqual([1, { count: 5000, strength: 1 }]);
  expect(steps.map(({ strength }) => strength)).toEqual(
    [...steps.map(({ strength }) => strength)].sort((a, b) => a - b),
  );
  expect(keySteps(1)).toEqual([{ count: 1, strength: 1 }]);
});
