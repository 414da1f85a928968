import { expect, it } from 'vitest';
import type { Progress } from '@/api/schema';
import { describeCancelling, describeTiming } from './describe-run';

const PROGRESS: Progress = {
  trials_total: 4,
  trials_finished: 0,
  trials_failed: 0,
  share: 0,
  queue_position: 0,
  estimated_seconds_until_start: 0,
  estimated_seconds_left: 90,
};

function describe(
  changes: Partial<Progress>,
  status: 'queued' | 'running' = 'queued',
  hasGoal = false,
) {
  const progress = { ...PROGRESS, ...changes };
  const text = describeTiming({ status, progress, queue: progress, host: 'bench-01', hasGoal });
  return text?.replaceAll(/[\u202f\u00a0]/g, ' ');
}

it('adds the queue to the time left', () => {
  const waiting = { queue_position: 1, estimated_seconds_until_start: 230 };
  expect(describe({ ...waiting, estimated_seconds_left: 460 })).toBe(
    '1 run ahead on bench-01: starts in about 4 min, ends in about 12 min',
  );
});

it('states that the next run starts soon', () =>
  expect(describe({})).toBe('next on bench-01: starts within seconds, ends in about 1 min 30 s'));

it('states the limit of a run until its ranking is certain', () => {
  expect(describe({ estimated_seconds_left: 180 }, 'queued', true)).toContain(
    'ends in at most 3 min',
  );
  expect(describe({ estimated_seconds_left: 80 }, 'running', true)).toBe('at most 1 min 20 s left');
});

it('has no time left without an estimate', () =>
  expect(describe({ estimated_seconds_left: null }, 'running')).toBeUndefined());

it('states how far a cancellation is', () => {
  const progress = { ...PROGRESS, trials_finished: 3200, trials_total: 10_000 };
  expect(describeCancelling(progress).replaceAll(/[\u202f\u00a0]/g, ' ')).toBe(
    'Cancelling: 3 200 of 10 000 trials have ended.',
  );
});
