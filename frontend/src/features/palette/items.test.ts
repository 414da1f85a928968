import { expect, it, vi } from 'vitest';
import type { FrameworkOut, MetricOut } from '@/api/schema';
import { choiceItem, metricItems, pageItems, themeItems } from './items';
import { rankItems } from './rank';

const METRICS = [
  { metric: 'latency_p99_ms', title: 'Latency p99', direction: 'lower' },
  { metric: 'cpu_us_per_request', title: 'CPU per request', direction: 'lower' },
] as MetricOut[];

function find(text: string, onScheme = vi.fn()) {
  const items = [...pageItems(), ...metricItems(METRICS), ...themeItems('/runs', onScheme)];
  return rankItems(items, text, 5).flatMap((group) => group.items)[0];
}

it('finds a metric by a part of its title', () => {
  expect(find('p99')?.href).toBe('/leaderboard?metric=latency_p99_ms');
});

it('finds a theme and switches to it', () => {
  const onScheme = vi.fn();
  const dark = find('dark', onScheme);
  dark?.action?.();
  expect(onScheme).toHaveBeenCalledWith('dark');
  expect(dark?.href).toBe('/runs');
});

it('still finds pages', () => {
  expect(find('leader')?.href).toBe('/leaderboard');
});

const FRAMEWORKS = [
  ['spring-webflux', 'Spring WebFlux'],
  ['spring-mvc', 'Spring MVC'],
  ['node', 'Node.js'],
].map(([slug, name]) => ({ slug, name, language: '', colour: 0, versions: {} })) as FrameworkOut[];

it.each([
  ['spring vs node', '/choose?frameworks=spring-mvc,node'],
  ['Node.js or webflux', '/choose?frameworks=node,spring-webflux'],
  ['node, mvc, webflux', '/choose?frameworks=node,spring-mvc,spring-webflux'],
])('leads from “%s” to the choice between these frameworks', (text, href) => {
  const items = [...pageItems(), ...choiceItem(text, FRAMEWORKS)];
  expect(rankItems(items, text, 5)[0]?.items[0]?.href).toBe(href);
});

it.each(['node', 'node vs', 'node vs node', 'node vs nothing', ''])(
  'offers no choice for “%s”',
  (text) => {
    expect(choiceItem(text, FRAMEWORKS)).toEqual([]);
  },
);
