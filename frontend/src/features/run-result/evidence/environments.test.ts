import { expect, it } from 'vitest';
import { cell } from '@/features/run-result/test-cells';
import { listOwn } from './environments';

it('lists the facts of each framework once, or by scenario if they differ', () => {
  const own = (name: string, scenario: string, image: string) => ({
    ...cell({ name }),
    scenario: { slug: scenario, name: scenario },
    environment: { image, builds: { [name]: 'a'.repeat(64) } },
  });
  const found = listOwn([
    own('A', 'Hello', 'a:1'),
    own('A', 'Cars', 'a:1'),
    own('B', 'Hello', 'b:1'),
    own('B', 'Cars', 'b:2'),
    { ...cell({ name: 'C' }), environment: {} },
  ]);
  expect(found.map(({ name, facts }) => [name, facts[0]?.value])).toEqual([
    ['A', 'a:1'],
    ['B: Hello', 'b:1'],
    ['B: Cars', 'b:2'],
  ]);
  expect(found[0]?.facts[1]?.value).toBe('A: aaaaaaaaaaaaaaaa');
});

it('leaves out the load hosts, whose networks differ between trials', () => {
  const own = (scenario: string, network: number) => ({
    ...cell({ name: 'A' }),
    scenario: { slug: scenario, name: scenario },
    environment: { image: 'a:1', load_hosts: [{ name: 'load-1', network: { p50_ms: network } }] },
  });
  const found = listOwn([own('Hello', 1), own('Cars', 2)]);
  expect(found.map(({ facts }) => facts.map(({ name }) => name))).toEqual([['image']]);
});
