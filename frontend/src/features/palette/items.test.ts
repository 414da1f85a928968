import { expect, it, vi } from 'vitest';
import { pages, terms } from 'virtual:docs';
import type { FrameworkOut, MetricOut, ScenarioOut } from '@/api/schema';
import { choiceItem, docsItems, metricItems, pageItems, themeItems } from './items';
import { rankItems } from './rank';

const METRICS = [
  { metric: 'latency_p99_ms', title: 'Latency p99', direction: 'lower' },
  { metric: 'cpu_us_per_request', title: 'CPU per request', direction: 'lower' },
] as MetricOut[];

function find(text: string, onScheme = vi.fn()) {
  const items = [...pageItems(), ...metricItems(METRICS), ...themeItems('/runs', onScheme)];
  return rankItems(items, text, 5).flatMap((group) => group.items)[0];
}

it('finds a metric by a part of its title', () =>
  expect(find('p99')?.href).toBe('/leaderboard?metric=latency_p99_ms'));

it('finds a theme and switches to it', () => {
  const onScheme = vi.fn();
  const dark = find('dark', onScheme);
  dark?.action?.();
  expect(onScheme).toHaveBeenCalledWith('dark');
  expect(dark?.href).toBe('/runs');
});

it('still finds pages', () => expect(find('leader')?.href).toBe('/leaderboard'));

const FRAMEWORKS = [
  ['spring-webflux', 'Spring WebFlux'],
  ['spring-mvc', 'Spring MVC'],
  ['node', 'Node.js'],
].map(([slug, name]) => ({ slug, name, language: '', colour: 0, versions: {} })) as FrameworkOut[];

const SCENARIOS = [
  ['hello', 'Hello'],
  ['slow-upstream', 'Slow upstream'],
].map(([slug, name]) => ({ slug, name, method: 'GET', path: '/' })) as ScenarioOut[];

it.each([
  ['spring vs node', '/choose?frameworks=spring-mvc,node'],
  ['Node.js or webflux', '/choose?frameworks=node,spring-webflux'],
  ['node, mvc, webflux', '/choose?frameworks=node,spring-mvc,spring-webflux'],
  ['mvc vs node on slow up', '/choose?frameworks=spring-mvc,node&scenario=slow-upstream'],
  ['mvc or node for nothing', '/choose?frameworks=spring-mvc,node'],
])('leads from “%s” to the choice between these frameworks', (text, href) => {
  const items = [...pageItems(), ...choiceItem(text, FRAMEWORKS, SCENARIOS)];
  expect(rankItems(items, text, 5)[0]?.items[0]?.href).toBe(href);
});

it.each(['node', 'node vs', 'node vs node', 'node vs nothing', ''])(
  'offers no choice for “%s”',
  (text) => expect(choiceItem(text, FRAMEWORKS, SCENARIOS)).toEqual([]),
);

it.each([
  ['badge', '/docs/user-guide/results#badges-and-previews'],
  ['confidence interval', '/docs/glossary#results'],
  ['statistics', '/docs/methodology/ranking'],
])('finds “%s” in the documentation', (text, href) => {
  const [first] = rankItems(docsItems(pages, terms), text, 5);
  expect(first?.items.map((item) => item.href)).toContain(href);
});
