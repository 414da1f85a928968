import { expect, it } from 'vitest';
import { decodePlan, encodePlan } from './run-plan';
import { planOfRequest } from './run-request';

it('fills the form with the request of a preset or a remedy', () => {
  const plan = planOfRequest({
    title: 'Run again at 500 req/s',
    host: null,
    cells: [
      {
        framework: 'node',
        scenario: 'hello',
        profile: 'rate-quick',
        parameters: { rate_rps: 500 },
      },
      {
        framework: 'axum',
        scenario: 'hello',
        profile: 'rate-quick',
        parameters: { rate_rps: 500 },
      },
    ],
    until: 'ranked',
    max_trials: 10,
    max_minutes: 3,
  });
  expect(plan.scenarios).toEqual(['hello']);
  expect(plan.cells.map((cell) => cell.framework)).toEqual(['node', 'axum']);
  expect(plan.profiles).toEqual({ hello: 'rate-quick' });
  expect(plan.parameters).toEqual({ hello: { rate_rps: 500 } });
  expect(plan.until).toEqual({ maxTrials: 10, maxMinutes: 3 });
  expect(decodePlan(encodePlan(plan))).toEqual(plan);
});

it('takes one load per scenario and joins the values of a sweep', () => {
  const cell = { framework: 'node', scenario: 'slow-upstream', profile: 'delays-quick' };
  const plan = planOfRequest({
    cells: [
      { ...cell, parameters: { delay_ms: 500, rate_rps: 100 } },
      { ...cell, parameters: { delay_ms: 100, rate_rps: 100 } },
      { ...cell, profile: 'users-quick', parameters: { users: 7 } },
    ],
    trials: 3,
  });
  expect(plan.cells).toHaveLength(1);
  expect(plan.parameters).toEqual({ 'slow-upstream': { delay_ms: [100, 500], rate_rps: 100 } });
  expect(plan.trials).toBe(3);
  expect(plan.until).toBeNull();
});

it('keeps lists of values', () => {
  const parameters = { delay_ms: [100, 500] };
  const cells = ['node', 'axum'].map((framework) => ({
    framework,
    scenario: 'slow-upstream',
    parameters,
  }));
  expect(planOfRequest({ cells }).parameters).toEqual({ 'slow-upstream': parameters });
});
