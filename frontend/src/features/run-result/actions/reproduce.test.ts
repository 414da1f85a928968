import { expect, it } from 'vitest';
import { cell, runOf } from '@/features/run-result/test-cells';
import { shellCommand } from './reproduce';

it('returns a command that repeats the run with the installed CLI', () => {
  const run = { ...runOf([[cell({ name: 'node' })]]), trials_per_cell: 5 };
  expect(shellCommand(run)).toBe(
    '.venv/bin/tacho run node --scenario hello --profile rate-quick \\\n' +
      '  --param rate_rps=1000 --param duration_seconds=10 --trials 5 --wait',
  );
});

it('repeats the goal of a run instead of its number of trials', () => {
  const run = {
    ...runOf([[cell({ name: 'node' })]]),
    goal: {
      until: { metric: 'latency_p99_ms' as const, precision_percent: 5 },
      max_trials: 20,
      max_minutes: 30,
      state: 'reached' as const,
      blocks: 6,
      more_trials: null,
      sentence: null,
    },
  };
  expect(shellCommand(run)).toContain(
    ' --until latency_p99_ms:5% --max-trials 20 --max-minutes 30 --wait',
  );
  expect(shellCommand(run)).not.toContain('--trials 5');
});
