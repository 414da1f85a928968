import { expect, it } from 'vitest';
import { calibrationFor, noiseOf, overheadAt } from './calibration';
import type { CalibrationOut, HostOut } from './schema';

const noise = (metric: string, scenario: string, smallest: number) => ({
  metric,
  scenario,
  profile: 'rate-quick',
  smallest_ratio: smallest,
});
const CALIBRATION = {
  is_current: true,
  overheads: [{ rate_rps: 5000 }, { rate_rps: 200 }, { rate_rps: 1000 }],
  noise: [
    noise('boot_ms', 'hello', 1.1),
    noise('boot_ms', 'other', 1.4),
    noise('cpu_us_per_request', 'hello', 1.02),
  ],
} as unknown as CalibrationOut;
const HOST = { fingerprint_digest: 'a', calibration: CALIBRATION } as unknown as HostOut;

it('applies only to its fingerprint, while it is current', () => {
  expect(calibrationFor(HOST, 'a')).toBe(CALIBRATION);
  expect(calibrationFor(HOST, 'b')).toBeNull();
  const old = { ...HOST, calibration: { ...CALIBRATION, is_current: false } };
  expect(calibrationFor(old, 'a')).toBeNull();
  expect(calibrationFor(undefined, 'a')).toBeNull();
});

it('takes the overhead of the nearest rate not below', () => {
  expect(overheadAt(CALIBRATION, 1000)?.rate_rps).toBe(1000);
  expect(overheadAt(CALIBRATION, 1001)?.rate_rps).toBe(5000);
  expect(overheadAt(CALIBRATION, 6000)).toBeNull();
  expect(overheadAt(CALIBRATION, undefined)).toBeNull();
});

it('takes the noise of the same load, else the largest of the metric', () => {
  const hello = { scenario: 'hello', profile: 'rate-quick' };
  expect(noiseOf(CALIBRATION, 'boot_ms', hello)?.smallest_ratio).toBe(1.1);
  const none = { scenario: 'none', profile: 'rate-quick' };
  expect(noiseOf(CALIBRATION, 'boot_ms', none)?.smallest_ratio).toBe(1.4);
  expect(noiseOf(CALIBRATION, 'latency_p99_ms', hello)).toBeNull();
});
