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
