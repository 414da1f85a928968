import { expect, test } from 'vitest';
import type { HistoryPoint } from '@/api/history';
import { noiseBand } from './noise-band';

function points(...estimates: number[]): HistoryPoint[] {
  return estimates.map((estimate) => ({ estimate, excluded: false }) as HistoryPoint);
}

test('the band lies around the geometric mean by the smallest ratio worth believing', () => {
  const band = noiseBand(points(1, 4), { smallest_ratio: 1.25 });
  expect(band?.low).toBeCloseTo(1.6);
  expect(band?.high).toBeCloseTo(2.5);
});

test('what is excluded does not move it', () => {
  const excluded = { ...points(100)[0], excluded: true } as HistoryPoint;
  expect(noiseBand([...points(2), excluded], { smallest_ratio: 2 })).toEqual({ low: 1, high: 4 });
});

test('there is none without a calibration, a point that counts, or a logarithm', () => {
  expect(noiseBand(points(1), null)).toBeNull();
  expect(noiseBand([], { smallest_ratio: 2 })).toBeNull();
  expect(noiseBand(points(0, 1), { smallest_ratio: 2 })).toBeNull();
});
