import { expect, it, vi } from 'vitest';
import type { MetricOut } from '@/api/schema';
import { metricItems, pageItems, themeItems } from './items';
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
