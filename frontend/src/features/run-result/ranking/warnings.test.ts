import { expect, it } from 'vitest';
import type { VerdictOut } from '@/api/schema';
import { orderBySeverity } from './WorstWarning';

const warning = (verdict: VerdictOut['verdict'], trials: number, excludes = false): VerdictOut => ({
  verdict,
  trials,
  detail: '',
  excludes_from_ranking: excludes,
});

it('lists warnings that exclude a result first, then those of most trials', () => {
  const ordered = orderBySeverity([
    warning('host_busy', 1),
    warning('too_few_trials', 2),
    warning('too_many_errors', 1, true),
  ]);
  expect(ordered.map(({ verdict }) => verdict)).toEqual([
    'too_many_errors',
    'too_few_trials',
    'host_busy',
  ]);
});

it('leaves out results without a warning', () =>
  expect(orderBySeverity([warning('ok', 5)])).toEqual([]));
