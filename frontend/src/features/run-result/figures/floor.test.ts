import { expect, it } from 'vitest';
import { floorOfGenerator, floorOfNetworks } from './floor';

const NETWORK = {
  name: 'load-1',
  trials: 5,
  min_ms: 0.9,
  p50_ms: 1,
  p90_ms: 1.2,
  p99_ms: 2,
  send_mbps: 900,
  receive_mbps: 800,
};

it('is the median round trip of the fastest network', () => {
  const floor = floorOfNetworks([NETWORK, { ...NETWORK, name: 'load-2', p50_ms: 3 }]);
  expect(floor?.value).toBe(1);
  expect(floor?.label).toBe('network round trip');
  expect(floor?.explanation).toContain('load-1');
  expect(floor?.explanation).toContain('load-2');
});

it('is absent before a network or the load generator was measured', () => {
  expect(floorOfNetworks([])).toBeNull();
  expect(floorOfGenerator(null)).toBeNull();
});
