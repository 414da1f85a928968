import { expect, it } from 'vitest';
import type { Framework } from '@/api/frameworks';
import type { Scenario } from '@/api/scenarios';
import { listStarters } from './starters';

function framework(slug: string, unavailable: Record<string, string> = {}): Framework {
  return {
    slug,
    version_of: null,
    name: slug,
    language: 'Any',
    description: '',
    concurrency: 'blocking',
    mode: 'ootb',
    licence: 'MIT',
    versions: { language: '1', runtime: '1', framework: '1' },
    website: '',
    scenarios: ['hello'],
    topologies: {},
    colour: 0,
    digest: '',
    unavailable,
  };
}

const HELLO: Scenario = {
  slug: 'hello',
  name: 'Hello',
  description: '',
  path: '/hello',
  backing_services: [],
  digest: '',
  default_profile: 'rate-quick',
  frameworks: [],
  profiles: [
    {
      slug: 'rate-quick',
      name: 'rate',
      variant: 'quick',
      kind: 'rate',
      description: '',
      parameters: {
        properties: { warm_up_seconds: { default: 3 }, duration_seconds: { default: 10 } },
      },
    },
  ],
};

it('suggests only frameworks that can run here, with the duration', () => {
  const frameworks = [
    framework('spring-mvc', { here: 'java>=17 is missing' }),
    framework('go-nethttp'),
    framework('node'),
  ];
  const starters = listStarters(frameworks, [HELLO]);
  expect(starters.map((starter) => starter.slug)).toEqual(['first-look', 'all-hello']);
  expect(starters[0]?.plan.cells.map((cell) => cell.framework)).toEqual(['node', 'go-nethttp']);
  // At most ten trials of 3 + 5 + 4 seconds each, and at most three minutes.
  expect(starters[0]?.seconds).toBe(180);
  expect(starters[0]?.plan.until).toEqual({ maxTrials: 10, maxMinutes: 3 });
  expect(starters[1]?.seconds).toBe(5 * 2 * 17);
});

it('includes every available framework if the starter is for all', () => {
  const many = Array.from({ length: 30 }, (_, index) => framework(`f${String(index)}`));
  const everyone = listStarters(many, [HELLO]).find(({ slug }) => slug === 'all-hello');
  expect(everyone?.plan.cells).toHaveLength(30);
});

it('suggests nothing if no framework can run', () => {
  expect(listStarters([framework('node', { here: 'no' })], [HELLO])).toEqual([]);
});
