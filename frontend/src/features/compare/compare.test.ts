import { expect, it } from 'vitest';
import type { ComparedResult, ComparisonOut, PairOut } from '@/api/schema';
import { commonTraits, listEntries, ownTraits } from './labels';

function cell(id: string, changes: Partial<ComparedResult> = {}): ComparedResult {
  return {
    cell_id: id,
    label: `Label of ${id}`,
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

function pair(id: string, changes: Partial<PairOut> = {}): PairOut {
  const ratio = {
    ratio: 0.612,
    low: 0.59,
    high: 0.63,
    state: 'difference',
    is_better: true,
    text: '0.612× [0.590, 0.630]',
    words: 'lower',
    explanation: null,
    trials_needed: null,
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

function comparison(cells: ComparedResult[], pairs: PairOut[]): ComparisonOut {
  return {
    statistics_version: 1,
    metric: 'cpu_us_per_request',
    sentences: {},
    baseline: cells[0]?.cell_id ?? '',
    cells,
    pairs,
  };
}

it('draws results of one framework with different dashes, and names what all share', () => {
  const cells = [
    cell('a'),
    cell('b', { parameters: { rate_rps: 100, duration_seconds: 10 } }),
    cell('c', GO),
    cell('d'),
  ];
  const entries = listEntries(comparison(cells, []));

  expect(entries.map(({ label }) => label)).toEqual(cells.map(({ label }) => label));
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

it('names only the traits of a result that the others do not share', () => {
  const cells = [cell('a'), cell('b', { host: 'bench-02' })];
  expect(cells.map((each) => ownTraits(each, cells))).toEqual([['bench-01'], ['bench-02']]);
  expect(ownTraits(cell('a'), [cell('a'), cell('b')])).toEqual([]);
});
