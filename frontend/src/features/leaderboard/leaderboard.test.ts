import { expect, it } from 'vitest';
import { sayRanked } from './ranked';
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

it('calls a ranked result older only if it belongs to an older run', () => {
  const at = (day: number, run_slug: string) => ({
    framework: { slug: 'node', name: 'Node.js', colour: 1 },
    run_slug,
    at: `2026-11-0${day}T00:00:00Z`,
  });
  const apart = at(2, 'b');
  expect(sayRanked(apart, [{ result: at(1, 'a') }])).toBe(
    '. An older result of this framework is ranked above',
  );
  expect(sayRanked(apart, [{ result: at(2, 'b') }])).toBe(
    '. Another result of the same run is ranked above',
  );
  expect(sayRanked(apart, [])).toBe('');
});
