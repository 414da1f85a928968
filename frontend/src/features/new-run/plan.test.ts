import { describe, expect, it } from 'vitest';
import { sweptParameter } from '@/api/scenarios';
import type { FrameworkOut, ScenarioOut } from '@/api/schema';
import { EMPTY_PLAN, type Plan } from '@/lib/run-plan';
import {
  splitFrameworks,
  splitUnknown,
  toggleCells,
  toggleScenario,
  toRunIn,
  whyNowhere,
} from './cells';
import {
  commonVariant,
  countCells,
  planSeconds,
  setParameter,
  setProfile,
  setShared,
  setVariant,
  sharedParameters,
} from './loads';
import { placeProblems } from './problems';
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
} as unknown as ScenarioOut;
const NODE = {
  slug: 'node',
  scenarios: ['hello'],
  unavailable: { b: 'no node' },
} as unknown as FrameworkOut;
const CELL = { framework: 'node', scenario: 'hello' };
const PLAN: Plan = { ...EMPTY_PLAN, scenarios: ['hello'], cells: [CELL] };

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

describe('the choice of scenarios first', () => {
  const chain = { ...HELLO, slug: 'chain', name: 'Chain' };
  const go = { slug: 'go', name: 'Go', scenarios: ['hello', 'chain'], unavailable: {} };
  const java = { ...go, slug: 'java', name: 'Java', unavailable: { a: 'no java' } };
  const ruby = { ...go, slug: 'ruby', name: 'Ruby', scenarios: [] };
  const all = [NODE, go, java, ruby] as unknown as FrameworkOut[];

  it('adds a scenario for the frameworks that are already chosen and can run it', () => {
    const plan = {
      ...PLAN,
      cells: [CELL, { framework: 'go', scenario: 'hello' }],
      parameters: { hello: { rate_rps: 5 } },
    };
    const both = toggleScenario(plan, chain, all, ['a']);
    expect(both.scenarios).toEqual(['hello', 'chain']);
    expect(both.cells.at(-1)).toEqual({ framework: 'go', scenario: 'chain' });
    expect(both.cells).toHaveLength(3);
    const without = toggleScenario(both, HELLO, all, ['a']);
    expect(without).toMatchObject({ scenarios: ['chain'], parameters: {} });
    expect(without.cells).toEqual([{ framework: 'go', scenario: 'chain' }]);
  });

  it('leaves out frameworks that cannot run, grouped by the reason', () => {
    const { able, unable } = splitFrameworks(all, [chain], EMPTY_PLAN, ['a']);
    expect(able.map(({ slug }) => slug)).toEqual(['go']);
    expect(unable).toEqual([
      { reason: 'do not implement Chain', frameworks: [NODE, ruby] },
      { reason: 'cannot run on a: no java', frameworks: [java] },
    ]);
  });

  it('still shows a framework that a link selects, so that it can be removed', () => {
    const cells = [{ framework: 'java', scenario: 'chain' }];
    const { able } = splitFrameworks(all, [chain], { ...EMPTY_PLAN, cells }, ['a']);
    expect(able.map(({ slug }) => slug)).toEqual(['go', 'java']);
  });
});

describe('settings for all scenarios', () => {
  const profile = (variant: string, rate: number, most: number) => ({
    slug: `rate-${variant}`,
    name: 'rate',
    variant,
    parameters: {
      properties: { rate_rps: { title: 'Rate', minimum: 1, maximum: most, default: rate } },
    },
  });
  const of = (slug: string, rate: number, most: number) =>
    ({
      slug,
      default_profile: 'rate-quick',
      profiles: [profile('quick', rate, most), profile('full', rate * 2, most)],
    }) as unknown as ScenarioOut;
  const both = [of('hello', 1000, 5000), of('chain', 200, 4000)];

  it('offers a parameter of several scenarios with bounds that fit all', () => {
    const [rate, ...others] = sharedParameters(EMPTY_PLAN, both);
    expect(others).toEqual([]);
    expect(rate).toMatchObject({ name: 'rate_rps', minimum: 1, maximum: 4000 });
    expect(rate?.values.map(({ value }) => value)).toEqual([1000, 200]);
    expect(sharedParameters(EMPTY_PLAN, both.slice(1))).toEqual([]);
  });

  it('applies a value to every scenario that has the parameter', () => {
    const [rate] = sharedParameters(EMPTY_PLAN, both);
    if (rate === undefined) throw new Error('The scenarios share no parameter.');
    const plan = setShared(EMPTY_PLAN, rate, 200);
    // The default of the chain is left out.
    expect(plan.parameters).toEqual({ hello: { rate_rps: 200 } });
  });

  it('chooses the length of all loads', () => {
    const [first, ...rest] = both;
    expect(commonVariant(EMPTY_PLAN, both)).toBe('quick');
    const mixed = setVariant(EMPTY_PLAN, first ? [first] : [], 'full');
    expect(commonVariant(mixed, both)).toBeNull();
    expect(setVariant(mixed, rest, 'full').profiles).toEqual({
      hello: 'rate-full',
      chain: 'rate-full',
    });
  });
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
  expect(planSeconds(plan, [HELLO])).toBe(2 * (3 + 20 + 3));
  expect(toRunIn(plan)).toEqual({
    cells: [{ ...CELL, parameters: { duration_seconds: 20 } }],
    trials: 2,
    purpose: 'comparison',
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
  } as unknown as ScenarioOut;
  const plan: Plan = {
    ...EMPTY_PLAN,
    trials: 1,
    cells: [CELL, { framework: 'node', scenario: 'slow' }],
  };

  it('counts one cell and its duration for each value', () => {
    expect(countCells(plan, [HELLO, swept])).toBe(3);
    expect(planSeconds(plan, [HELLO, swept])).toBe(3 * (3 + 10 + 3));
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
  expect(at).toEqual({
    'hello.rate_rps': 'It is 0',
    'hello.node': 'It cannot run',
    trials: 'It is 90',
  });
  expect(rest).toEqual(['visibility: unknown']);
});
