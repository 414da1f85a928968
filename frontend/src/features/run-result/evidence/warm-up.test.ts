import { expect, it } from 'vitest';
import type { WarmUpsOut } from '@/api/schema';
import { describeWarmUps } from './Evidence';

const ONE: WarmUpsOut = {
  shortest_seconds: 11,
  longest_seconds: 11,
  cap_seconds: 30,
  steady: 1,
  unsteady: 0,
  untested: 0,
  reasons: [],
};

it.each([
  [ONE, 'steady after 11 s'],
  [{ ...ONE, steady: 2, longest_seconds: 17 }, 'steady after 11–17 s'],
  [{ ...ONE, steady: 0, unsteady: 3 }, 'not steady within 30 s'],
  [
    { ...ONE, steady: 0, untested: 1, shortest_seconds: 2, longest_seconds: 2 },
    'took 2 s, not tested',
  ],
  [
    { ...ONE, unsteady: 1, longest_seconds: 30 },
    'steady after 11–30 s in 1 trial, not steady within 30 s in 1 trial',
  ],
])('%j is %s', (warmUps, text) =>
  expect(describeWarmUps(warmUps).replaceAll(/[\u202f\u00a0]/g, ' ')).toBe(text),
);
