import { expect, it } from 'vitest';
import type { WarmUp } from '@/api/trials';
import { describeWarmUps } from './warm-up';

function warmUp(seconds: number, isSteady: boolean | null): WarmUp {
  return { seconds, cap_seconds: 8, is_steady: isSteady, detail: '' };
}

it.each([
  [[warmUp(5, true)], 'steady after 5 s'],
  [[warmUp(4, true), warmUp(6, true)], 'steady after 4–6 s'],
  [[warmUp(8, false)], 'did not settle within 8 s'],
  [[warmUp(2, null)], 'warmed up for 2 s'],
  [
    [warmUp(5, true), warmUp(8, false)],
    'steady after 5 s in 1 trial, did not settle within 8 s in 1 trial',
  ],
])('%j is %s', (warmUps, text) => {
  expect(describeWarmUps(warmUps).replaceAll(/[\u202f\u00a0]/g, ' ')).toBe(text);
});
