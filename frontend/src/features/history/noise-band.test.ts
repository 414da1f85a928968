import { expect, test } from 'vitest';
import type { HistoryPoint } from '@/api/schema';
import { noiseBand } from './noise-band';

function points(...estimates: number[]): HistoryPoint[] {
  return estimates.map((estimate) => ({ estimate, excluded: false }) as HistoryPoint);
}

test('extends from the geometric mean by the smallest detectable ratio', () => {
  const band = noiseBand(points(1, 4), { smallest_ratio: 1.25 });
  expect(band?.low).toBeCloseTo(1.6);
  expect(band?.high).toBeCloseTo(2.5);
});

test('ignores excluded points', () => {
  const excluded = { ...points(100)[0], excluded: true } as HistoryPoint;
  expect(noiseBand([...points(2), excluded], { smallest_ratio: 2 })).toEqual({ low: 1, high: 4 });
});

test('is null without a calibration, without valid points, or if a value has no logarithm', () => {
  expect(noiseBand(points(1), null)).toBeNull();
  expect(noiseBand([], { smallest_ratio: 2 })).toBeNull();
  expect(noiseBand(points(0, 1), { smallest_ratio: 2 })).toBeNull();
});
