import { describe, expect, it } from 'vitest';
import type { CellOut, StepOut, TrialStepsOut } from '@/api/schema';
import { criterionRule, latencyCurves, rateRules } from './steps';

const CELL = {
  framework: { slug: 'node', name: 'Node.js', colour: 2 },
  parameters: { success_percent: 99 },
} as unknown as CellOut;

function trial(repetition: number, sustained: number | null, knee: number | null): TrialStepsOut {
  const step = (rate: number, passed: boolean) =>
    ({ target_rps: rate, latency_p50_ms: 1, latency_p99_ms: rate / 100, passed }) as StepOut;
  return {
    repetition,
    steps: [step(100, true), step(200, false)],
    sustained_rps: sustained,
    knee_rps: knee,
  };
}

const rulesOf = (...trials: TrialStepsOut[]) => rateRules(trials).map((rule) => rule.label);

describe('the rates marked', () => {
  it('are the lowest of all trials', () => {
    expect(rulesOf(trial(1, 500, 400), trial(2, 600, null))).toEqual(['sustained 500', 'knee 400']);
    expect(rulesOf(trial(1, 500, 500))).toEqual(['sustained, knee 500']);
  });

  it('are empty if a trial passed no step, or before the steps are known', () => {
    expect(rulesOf(trial(1, 500, null), trial(2, null, null))).toEqual([]);
    expect(rulesOf()).toEqual([]);
  });
});

it('draws p99 and p50 of every trial, hollow where the step failed', () => {
  const curves = latencyCurves(CELL, [trial(1, 100, null), trial(2, 100, null)]);
  expect(curves.map((curve) => [curve.name, curve.dash])).toEqual([
    ['p99, trial 1', undefined],
    ['p99, trial 2', undefined],
    ['p50, trial 1', '2 3'],
    ['p50, trial 2', '2 3'],
  ]);
  expect(curves[0]?.dots.map((dot) => [dot.x, dot.y, dot.hollow])).toEqual([
    [100, 1, undefined],
    [200, 2, true],
  ]);
  expect(criterionRule(CELL)).toMatchObject({ axis: 'y', at: 0.99 });
});
