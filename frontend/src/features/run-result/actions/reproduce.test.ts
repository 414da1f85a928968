import { expect, it } from 'vitest';
import { cell, runOf } from '@/features/run-result/test-cells';
import { curlCommand, originOf, shellCommand } from './reproduce';

const ORIGIN = 'http://127.0.0.1:8000';

it('repeats a run from its address in one command', () => {
  const run = { ...runOf([[cell({ name: 'node' })]]), slug: 'k3v9q2mx4d' };
  expect(shellCommand(run, ORIGIN)).toBe(`.venv/bin/tacho rerun ${ORIGIN}/r/k3v9q2mx4d --wait`);
});

it('requests the goal and the seed of a run', () => {
  const run = {
    ...runOf([[cell({ name: 'node' })]]),
    seed: 42,
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
  const command = curlCommand(run, ORIGIN);
  expect(command).toContain('"seed": 42');
  expect(command).toContain('"precision_percent": 5');
  expect(command).not.toContain('"trials"');
});

it('pins the commit and the digest of each framework', () => {
  const digest = '3f2a9c10aa42'.padEnd(64, '0');
  const commit = '8f802767dd2edaf21e5e0d10ed411e79fbc6fd24';
  const node = { ...cell({ name: 'node' }), framework_digest: digest };
  const run = { ...runOf([[node]]), environment: { commit, harness: { tacho: '0.1.0' } } };
  expect(shellCommand(run, ORIGIN)).toMatch(new RegExp(`^git checkout ${commit}\\n`));
  expect(curlCommand(run, ORIGIN)).toContain('"framework_digest": "3f2a9c10aa42"');
  expect(originOf({ ...run, environment: { commit: `${commit}-dirty` } })).toMatchObject({
    commit,
    wasChanged: true,
    version: null,
  });
});
