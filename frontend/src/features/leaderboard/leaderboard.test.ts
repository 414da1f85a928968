import { expect, it } from 'vitest';
import { formatWeights, parseWeights } from './weights';

it('writes weights as it reads them, and ignores invalid parts', () => {
  const text = 'cpu_us_per_request:2,boot_ms:0.5';
  expect(parseWeights(text)).toEqual([
    ['cpu_us_per_request', 2],
    ['boot_ms', 0.5],
  ]);
  expect(formatWeights(parseWeights(text))).toBe(text);
  expect(parseWeights('latency_p99_ms')).toEqual([['latency_p99_ms', 1]]);
  expect(parseWeights('boot_ms:0,,throughput_rps:x')).toEqual([]);
  expect(parseWeights(undefined)).toEqual([]);
});
