import { expect, it } from 'vitest';
import type { Comparison, Compared, Pair } from '@/api/comparisons';
import { commonTraits, listEntries } from './labels';
import { describeComparison } from './sentence';

function cell(id: string, changes: Partial<Compared> = {}): Compared {
  return {
    cell_id: id,
    run_id: 'r',
    run_slug: `run-${id}`,
    run_title: 'A run',
    at: '2026-11-20T18:40:00Z',
    host: 'bench-01',
    runtime: 'process',
    framework: { slug: 'node', name: 'Node.js', colour: 2 },
    framework_digest: '',
    scenario: { slug: 'hello', name: 'Hello' },
    scenario_digest: '',
    host_digest: '',
    harness_digest: '',
    image_digest: null,
    profile: 'rate-quick',
    kind: 'rate',
    parameters: { rate_rps: 300, duration_seconds: 10 },
    trials_succeeded: 5,
    trials_failed: 0,
    excluded: false,
    verdicts: [],
    summary: {},
    values: {},
    environment: {},
    ...changes,
  };
}

function pair(id: string, changes: Partial<Pair> = {}): Pair {
  const ratio = {
    ratio: 0.612,
    low: 0.59,
    high: 0.63,
    word: 'faster',
    power: 0.9,
    method: 'paired',
    n: 5,
  } as const;
  return {
    cell_id: id,
    comparability: 'comparable',
    differences: [],
    ratios: { cpu_us_per_request: ratio },
    ...changes,
  };
}

const GO = { framework: { slug: 'go', name: 'Go', colour: 5 } };

function comparison(cells: Compared[], pairs: Pair[]): Comparison {
  return { statistics_version: 1, baseline: cells[0]?.cell_id ?? '', cells, pairs };
}

it('labels results of one framework by their differences, or else by their run', () => {
  const cells = [
    cell('a'),
    cell('b', { parameters: { rate_rps: 100, duration_seconds: 10 } }),
    cell('c', GO),
    cell('d'),
  ];
  const entries = listEntries(comparison(cells, []));

  expect(entries.map(({ label }) => label)).toEqual([
    'Node.js, 300 req/s for 10 s, run-a',
    'Node.js, 100 req/s for 10 s',
    'Go',
    'Node.js, 300 req/s for 10 s, run-d',
  ]);
  const dashes = entries
    .filter((entry) => entry.cell.framework.slug === 'node')
    .map((entry) => entry.dash);
  expect(new Set(dashes).size).toBe(3);
  expect(commonTraits(cells)).toEqual(['Hello', 'bench-01', 'process']);
});

it('puts the baseline first', () => {
  const found = comparison([cell('a'), cell('b', GO)], [pair('a')]);
  expect(listEntries({ ...found, baseline: 'b' }).map(({ id }) => id)).toEqual(['b', 'a']);
});

it('describes comparable results, and the reason why others are not comparable', () => {
  const differences = [{ subject: 'parameters.rate_rps', baseline: '300', other: '100' }];
  const found = comparison(
    [cell('a'), cell('b', GO), cell('c', { framework: { slug: 'x', name: 'X', colour: 1 } })],
    [pair('b'), pair('c', { comparability: 'incomparable', differences })],
  );
  const told = describeComparison(listEntries(found), 'cpu_us_per_request', 'CPU per request');

  expect(told).toEqual([
    'CPU per request, compared with Node.js: Go at 0.612× [0.590, 0.630] is faster.',
    'X cannot be compared with it because of a different rate.',
  ]);
  expect(describeComparison(listEntries(found), 'boot_ms', 'Boot')).toContain(
    'Go and the baseline have no common boot.',
  );
});

it('suggests adding a second result', () => {
  const told = describeComparison(listEntries(comparison([cell('a')], [])), 'boot_ms', 'Boot');
  expect(told[0]).toContain('Add another');
});

it('names the verdicts that exclude the baseline', () => {
  const verdicts = [
    { verdict: 'too_many_errors', detail: '2 % failed.', trials: 5, excludes_from_ranking: true },
    { verdict: 'host_busy', detail: 'Others used 8 %.', trials: 5, excludes_from_ranking: false },
  ] as const;
  const found = comparison(
    [cell('a', { excluded: true, verdicts: [...verdicts] }), cell('b', GO)],
    [pair('b', { comparability: 'excluded' })],
  );

  expect(describeComparison(listEntries(found), 'cpu_us_per_request', 'CPU per request')).toEqual([
    'The baseline, Node.js, is excluded (too many errors), so nothing is compared with it.',
  ]);
});

it('names excluded results', () => {
  const found = comparison(
    [cell('a'), cell('b', { ...GO, excluded: true })],
    [pair('b', { comparability: 'excluded' })],
  );

  expect(describeComparison(listEntries(found), 'cpu_us_per_request', 'CPU per request')).toEqual([
    'Go is excluded and not compared.',
  ]);
});
