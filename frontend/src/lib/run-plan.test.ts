import { describe, expect, it } from 'vitest';
import {
  decodePlan,
  describeAmount,
  encodePlan,
  estimateSeconds,
  EMPTY_PLAN,
  type Plan,
  trialFields,
} from './run-plan';
import { parseSearch, stringifySearch } from './search';

const PLAN: Plan = {
  scenarios: ['hello', 'slow-upstream', 'chain'],
  cells: [
    { scenario: 'hello', framework: 'node' },
    { scenario: 'slow-upstream', framework: 'go-nethttp' },
  ],
  profiles: { hello: 'rate-full' },
  parameters: {
    hello: { rate_rps: 500, duration_seconds: 20 },
    'slow-upstream': { delay_ms: [100, 500], users: [7] },
  },
  trials: 3,
  until: null,
  hosts: [],
  host: 'bench-01',
  loadHosts: ['load-1', 'load-2'],
  title: 'Node or Go? 50 % & more',
};

describe('a plan in the URL', () => {
  it('is unchanged after a round trip', () => {
    const text = stringifySearch(encodePlan(PLAN));
    expect(text).toContain('scenarios=chain&');
    expect(text).toContain('cells=hello.node,slow-upstream.go-nethttp');
    expect(decodePlan(parseSearch(text))).toEqual(PLAN);
  });

  it('includes the limits of a run until the ranking is certain', () => {
    const plan = { ...PLAN, until: { maxTrials: 10, maxMinutes: 3 } };
    const text = stringifySearch(encodePlan(plan));
    expect(text).toContain('until=ranked.10.3');
    expect(decodePlan(parseSearch(text))).toEqual(plan);
    expect(decodePlan({ until: 'ranked.10' }).until).toBeNull();
  });

  it('is empty for the empty plan', () => {
    expect(stringifySearch(encodePlan(EMPTY_PLAN))).toBe('');
    expect(decodePlan({})).toEqual(EMPTY_PLAN);
  });

  it('leaves out unreadable parts, and lets the form check numbers', () => {
    const plan = decodePlan({ cells: 'hello,hello.node', set: 'hello.rate_rps.x', trials: '900' });
    expect(plan.cells).toEqual([{ scenario: 'hello', framework: 'node' }]);
    expect(plan.parameters).toEqual({});
    expect(plan.trials).toBe(900);
    expect(decodePlan({ trials: 'many' }).trials).toBe(5);
  });
});

it('estimates warm-up, duration and overhead of every trial', () => {
  const cells = [
    { warm_up_seconds: 3, duration_seconds: 10 },
    { warm_up_seconds: 0, duration_seconds: 6 },
  ];
  expect(estimateSeconds(cells, { trials: 3, until: null })).toBe(3 * (16 + 9));
});

it('limits the estimate of a run until the ranking is certain', () => {
  const cells = [{ warm_up_seconds: 3, duration_seconds: 10 }];
  const short = { trials: 5, until: { maxTrials: 20, maxMinutes: 3 } };
  const few = { trials: 5, until: { maxTrials: 4, maxMinutes: 3 } };
  expect(estimateSeconds(cells, short)).toBe(180);
  expect(estimateSeconds(cells, few)).toBe(4 * 16);
});

it('describes and requests trials, or the limits instead', () => {
  const until = { maxTrials: 20, maxMinutes: 3 };
  expect(describeAmount({ trials: 1, until: null })).toBe('× 1 trial ≈');
  expect(trialFields({ trials: 5, until: null })).toEqual({ trials: 5 });
  expect(describeAmount({ trials: 5, until })).toBe('until the ranking is certain, at most');
  expect(trialFields({ trials: 5, until })).toEqual({
    until: 'ranked',
    max_trials: 20,
    max_minutes: 3,
  });
});
