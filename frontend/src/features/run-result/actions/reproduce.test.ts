import { expect, it } from 'vitest';
import { cell, runOf } from '@/features/run-result/test-cells';
import { curlCommand, originOf, shellCommand } from './reproduce';

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

it('pins the commit and the digest of each framework', () => {
  const digest = '3f2a9c10aa42'.padEnd(64, '0');
  const commit = '8f802767dd2edaf21e5e0d10ed411e79fbc6fd24';
  const node = { ...cell({ name: 'node' }), framework_digest: digest };
  const run = { ...runOf([[node]]), environment: { commit, harness: { tacho: '0.1.0' } } };
  expect(shellCommand(run)).toMatch(new RegExp(`^git checkout ${commit}\\n\\n`));
  expect(shellCommand(run)).toContain('--pin node=3f2a9c10aa42 ');
  expect(curlCommand(run, 'http://127.0.0.1:8000')).toContain('"framework_digest": "3f2a9c10aa42"');
  expect(originOf({ ...run, environment: { commit: `${commit}-dirty` } })).toMatchObject({
    commit,
    wasChanged: true,
    version: null,
  });
});
