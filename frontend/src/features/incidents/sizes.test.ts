import { expect, it } from 'vitest';
import type { ShiftOut } from '@/api/schema';
import { incident } from '@/testing/documents/incidents';
import { judge } from './sizes';

function shift(low: number, high: number): ShiftOut {
  const [first] = incident.changes;
  if (first === undefined) throw new Error('The incident has no series.');
  const found = { ...first.history, ratio: 1.08, low, high };
  return { ...first, confirmation: { run_slug: 'abc1234567', pairs: 20, found } };
}

it('calls a shift worse only if the confirmation run shows a difference', () => {
  expect(judge(shift(1.05, 1.11))).toBe('worse');
  expect(judge(shift(0.92, 1.26))).toBe('cannot be told apart yet');
  expect(judge({ ...shift(1.05, 1.11), confirmation: null })).toBe('worse');
});
