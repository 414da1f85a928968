import { expect, test } from 'vitest';
import { isCrowded } from './axis';

const HOUR = 3_600_000;
const line = (times: readonly number[]) => ({ dots: times.map((at) => ({ at })) });

test('recognises runs of the same minute, which an axis of time would hide', () => {
  const bursts = [0, 24, 48].flatMap((hour) =>
    Array.from({ length: 10 }, (_, minute) => hour * HOUR + minute * 60_000),
  );
  expect(isCrowded([line(bursts)])).toBe(true);
  expect(isCrowded([line(Array.from({ length: 30 }, (_, day) => day * 24 * HOUR))])).toBe(false);
  expect(isCrowded([line([0]), line([0])])).toBe(false);
});
