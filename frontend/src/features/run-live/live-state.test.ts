import { expect, it } from 'vitest';
import type { LiveEvent } from '@/api/run-events';
import type { SampleEvent, TrialStatus } from '@/api/schema';
import { fold, START } from './live-state';

function trial(id: string, status: TrialStatus): LiveEvent {
  return {
    type: 'trial',
    data: {
      trial_id: id,
      cell_id: 'c',
      repetition: 1,
      status,
      at: '2026-11-20T18:40:00Z',
      stage_seconds: { building: 1 },
      failure: null,
    },
  };
}

function sample(phase: SampleEvent['phase'], second: number, requests: number): LiveEvent {
  return {
    type: 'sample',
    data: {
      trial_id: 't1',
      cell_id: 'c',
      phase,
      second,
      requests,
      failed: 0,
      dropped: 0,
      latency_p50_ms: 1,
      latency_p99_ms: 2,
      latency_max_ms: 3,
      in_flight: 1,
      cpu_service_seconds: 0.1,
      cpu_load_seconds: 0.1,
      memory_bytes: 1,
      taken_share: 0,
    },
  };
}

const log: LiveEvent = { type: 'log', data: { trial_id: 't1', name: 'build', line: 'ok' } };

it('follows the current trial', () => {
  const started = fold(START, [trial('t1', 'building'), trial('t1', 'measuring')]);
  expect(started.current).toBe('t1');
  expect(started.trials.t1?.status).toBe('measuring');
  const ended = fold(started, [trial('t1', 'succeeded')]);
  expect([ended.current, ended.shown]).toEqual([null, 't1']);
  expect(fold(started, [trial('t2', 'cancelled')]).current).toBe('t1');
});

it('orders seconds by phase and replaces repeated seconds', () => {
  const state = fold(START, [
    sample('measure', 0, 10),
    sample('warm_up', 1, 9),
    sample('warm_up', 0, 8),
    sample('measure', 0, 12),
  ]);
  const told = state.samples.t1?.map((sample) => [sample.phase, sample.second, sample.requests]);
  expect(told).toEqual([
    ['warm_up', 0, 8],
    ['warm_up', 1, 9],
    ['measure', 0, 12],
  ]);
});

it('counts events that were dropped', () => {
  const gap: LiveEvent = { type: 'gap', data: { dropped: 3 } };
  expect(fold(START, [gap, sample('measure', 9, 10), gap]).dropped).toBe(6);
});

it('restarts a trial whose worker was lost', () => {
  const lost = fold(START, [
    trial('t1', 'measuring'),
    sample('measure', 0, 1),
    trial('t1', 'queued'),
  ]);
  expect(lost.samples.t1).toEqual([]);
  expect(lost.current).toBeNull();
});

it('drops the seconds of a trial when the next trial is shown', () => {
  const first = [trial('t1', 'measuring'), sample('measure', 0, 1), trial('t1', 'succeeded')];
  expect(fold(START, first).samples.t1).toHaveLength(1);
  expect(fold(START, [...first, trial('t2', 'building')]).samples).toEqual({ t2: [] });
});

it('keeps the end of a long log', () => {
  const state = fold(
    START,
    Array.from({ length: 700 }, () => log),
  );
  expect(state.log).toHaveLength(500);
});
