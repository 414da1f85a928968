import { describe, expect, it } from 'vitest';
import { decodePlan, encodePlan, estimateSeconds, EMPTY_PLAN, type Plan } from './run-plan';
import { parseSearch, stringifySearch } from './search';

const PLAN: Plan = {
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
  host: 'bench-01',
  title: 'Node or Go? 50 % & more',
};

describe('a plan in the URL', () => {
  it('is unchanged after a round trip', () => {
    const text = stringifySearch(encodePlan(PLAN));
    expect(text).toContain('cells=hello.node,slow-upstream.go-nethttp');
    expect(decodePlan(parseSearch(text))).toEqual(PLAN);
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
  expect(estimateSeconds(cells, 3)).toBe(3 * (17 + 10));
});
