import { describe, expect, it } from 'vitest';
import type { Framework } from '@/api/frameworks';
import { type Scenario, sweptParameter } from '@/api/scenarios';
import { EMPTY_PLAN, type Plan } from '@/lib/run-plan';
import {
  countCells,
  placeProblems,
  planSeconds,
  setParameter,
  setProfile,
  splitUnknown,
  toggleCells,
  toRunIn,
  whyNowhere,
} from './matrix';
import { readValues } from './swept-values';

const HELLO = {
  slug: 'hello',
  name: 'Hello',
  default_profile: 'rate-quick',
  profiles: [
    {
      slug: 'rate-quick',
      parameters: {
        properties: {
          rate_rps: { default: 1000 },
          warm_up_seconds: { default: 3 },
          duration_seconds: { default: 10 },
        },
      },
    },
    { slug: 'rate-full', parameters: { properties: {} } },
  ],
} as unknown as Scenario;
const NODE = {
  slug: 'node',
  scenarios: ['hello'],
  unavailable: { b: 'no node' },
} as unknown as Framework;
const CELL = { framework: 'node', scenario: 'hello' };
const PLAN: Plan = { ...EMPTY_PLAN, cells: [CELL] };

it('names what is missing on the chosen host; nothing if any host can run the framework', () => {
  expect(whyNowhere(NODE, 'b', ['a', 'b'])).toBe('cannot run on b: no node');
  expect(whyNowhere(NODE, '', ['a', 'b'])).toBeNull();
  expect(whyNowhere(NODE, '', ['b'])).toBe('cannot run on b: no node');
  const nowhere = { ...NODE, unavailable: { a: 'no npm', b: 'no node' } };
  expect(whyNowhere(nowhere, '', ['a', 'b'])).toBe('cannot run on a: no npm and b: no node');
  expect(whyNowhere(NODE, '', [])).toBeNull();
});

it('leaves out unknown items of the URL and lists them', () => {
  const cells = [
    CELL,
    { framework: 'nodee', scenario: 'hello' },
    { framework: 'nodee', scenario: 'helo' },
  ];
  const { plan, unknown } = splitUnknown({ ...PLAN, cells }, [NODE], [HELLO]);
  expect(plan.cells).toEqual([CELL]);
  expect(unknown).toEqual(['nodee', 'helo']);
  expect(splitUnknown(PLAN, [NODE], [HELLO])).toEqual({ plan: PLAN, unknown: [] });
});

it('toggles a row: first it adds all cells, then it removes them', () => {
  const other = { framework: 'node', scenario: 'slow-upstream' };
  const both = toggleCells(PLAN, [CELL, other]);
  expect(both.cells).toHaveLength(2);
  expect(toggleCells(both, [CELL, other]).cells).toEqual([]);
});

it('keeps only parameters that differ, and resets them with the profile', () => {
  const changed = setParameter(PLAN, HELLO, 'rate_rps', 500);
  expect(changed.parameters).toEqual({ hello: { rate_rps: 500 } });
  expect(setParameter(changed, HELLO, 'rate_rps', 1000).parameters).toEqual({});
  expect(setProfile(changed, HELLO, 'rate-full')).toMatchObject({
    profiles: { hello: 'rate-full' },
    parameters: {},
  });
});

it('estimates the duration from the parameters that are shown', () => {
  const plan = { ...setParameter(PLAN, HELLO, 'duration_seconds', 20), trials: 2 };
  expect(planSeconds(plan, [HELLO])).toBe(2 * (3 + 20 + 4));
  expect(toRunIn(plan)).toEqual({
    cells: [{ ...CELL, parameters: { duration_seconds: 20 } }],
    trials: 2,
    visibility: 'unlisted',
  });
});

describe('a sweep', () => {
  const swept = {
    ...HELLO,
    slug: 'slow',
    default_profile: 'delays-quick',
    profiles: [
      {
        slug: 'delays-quick',
        kind: 'rate',
        parameters: {
          properties: {
            warm_up_seconds: { default: 3 },
            duration_seconds: { default: 10 },
            delay_ms: {
              type: 'array',
              title: 'Delay',
              unit: 'ms',
              items: { minimum: 0, maximum: 1000 },
              maxItems: 3,
              default: [100, 500],
            },
          },
        },
      },
    ],
  } as unknown as Scenario;
  const plan: Plan = {
    ...EMPTY_PLAN,
    trials: 1,
    cells: [CELL, { framework: 'node', scenario: 'slow' }],
  };

  it('counts one cell and its duration for each value', () => {
    expect(countCells(plan, [HELLO, swept])).toBe(3);
    expect(planSeconds(plan, [HELLO, swept])).toBe(3 * (3 + 10 + 4));
    const three = setParameter(plan, swept, 'delay_ms', [1, 2, 3]);
    expect(countCells(three, [HELLO, swept])).toBe(4);
    expect(setParameter(three, swept, 'delay_ms', [100, 500]).parameters).toEqual({});
  });

  it('keeps only values within bounds, sorted, and reports the others', () => {
    const [profile] = swept.profiles;
    const parameter = profile && sweptParameter(profile);
    if (!parameter) throw new Error('nothing swept');
    expect(readValues(['500', '100', '100'], parameter)).toEqual({
      values: [100, 500],
      fault: null,
    });
    expect(readValues(['5', '2000'], parameter).fault).toContain('Left out 2000');
    expect(readValues(['1.5'], parameter)).toMatchObject({ values: [] });
    expect(readValues(['1', '2', '3', '4'], parameter).fault).toContain('at most 3');
  });
});

it('assigns the errors of the server to their fields', () => {
  const { at, rest } = placeProblems(PLAN, [
    { field: 'cells.0.parameters.rate_rps', detail: 'is 0' },
    { field: 'cells.0.framework', detail: 'cannot run' },
    { field: 'trials', detail: 'is 90' },
    { field: 'visibility', detail: 'unknown' },
  ]);
  expect(at).toEqual({ 'hello.rate_rps': 'is 0', 'hello.node': 'cannot run', trials: 'is 90' });
  expect(rest).toEqual(['visibility: unknown']);
});
