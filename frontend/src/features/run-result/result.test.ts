import { describe, expect, it } from 'vitest';
import type { GroupRanking, MetricSummary, Run, RunCell } from '@/api/runs';
import { listOwn } from './environments';
import { blockTitle, groupCells, listBlocks } from './groups';
import { shellCommand } from './reproduce';
import { noiseBand, rankCells, scaleEnd, sortCells } from './ranking';
import { sweepCurves, sweepRows } from './sweep';

interface Spec {
  name: string;
  value?: [number, number | null, number | null];
  excluded?: boolean;
  profile?: string;
  parameters?: Record<string, number>;
  n?: number;
}

function cell({ name, value, excluded = false, profile = 'rate-quick', parameters, n = 5 }: Spec) {
  const [estimate, low, high] = value ?? [0, null, null];
  const summary: MetricSummary = { estimate, low, high, unit: 'µs', n, direction: 'lower' };
  return {
    id: name,
    framework: { slug: name, name, colour: 0 },
    scenario: { slug: 'hello', name: 'Hello' },
    profile,
    kind: 'rate',
    parameters: parameters ?? { rate_rps: 1000, duration_seconds: 10 },
    excluded,
    trials_failed: value || excluded ? 0 : 2,
    verdicts: excluded
      ? [
          { verdict: 'host_busy', excludes_from_ranking: false },
          { verdict: 'generator_saturated', excludes_from_ranking: true },
        ]
      : [],
    summary: value ? { cpu_us_per_request: summary } : {},
  } as unknown as RunCell;
}

const METRIC = 'cpu_us_per_request';

describe('the ranking', () => {
  const cells = [
    cell({ name: 'C', value: [94, 92, 96] }),
    cell({ name: 'X', value: [10, 9, 11], excluded: true }),
    cell({ name: 'A', value: [61, 60, 63] }),
  ];
  const told = (id: string, rank: number | null) => ({ cell_id: id, rank, ratio: null });
  const ranked = rankCells(cells, {
    metric: METRIC,
    baseline: 'A',
    cells: [told('A', 1), told('C', 2), told('X', null)],
  } as unknown as GroupRanking);

  it('keeps the order and the ranks of the server', () => {
    expect(ranked.map((result) => [result.cell.id, result.rank, result.isBaseline])).toEqual([
      ['A', 1, true],
      ['C', 2, false],
      ['X', null, false],
    ]);
  });

  it('has the noise of the host around the best', () => {
    expect(noiseBand(ranked, 1.22)).toEqual([50, 61 * 1.22]);
    expect(noiseBand(ranked, undefined)).toBeNull();
    expect(noiseBand([], 1.2)).toBeNull();
  });

  it('leaves the scale to the widest bar, not to an endless whisker', () => {
    expect(scaleEnd(ranked)).toBe(96);
    const endless = sortCells([cell({ name: 'A', value: [10, 0.1, 900] })], METRIC);
    expect(scaleEnd(endless)).toBe(16);
  });
});

it('groups only cells of the same scenario, profile and parameters', () => {
  const cells = [
    cell({ name: 'A' }),
    cell({ name: 'B' }),
    cell({ name: 'A', parameters: { rate_rps: 5, duration_seconds: 10 } }),
  ];
  const groups = groupCells({ cells } as unknown as Run);
  expect(groups.map((group) => [group.key, group.cells.length])).toEqual([
    ['hello.rate-quick', 2],
    ['hello.rate-quick.2', 1],
  ]);
  const blocks = listBlocks(groups);
  expect(blocks.map((block) => [blockTitle(block, blocks), block.sweep])).toEqual([
    ['Hello, rate-quick', null],
    ['Hello, rate-quick (2)', null],
  ]);
});

describe('a sweep', () => {
  const at = (name: string, delay: number, value?: Spec['value'], excluded = false) =>
    cell({ name, parameters: { rate_rps: 9, delay_ms: delay }, ...(value && { value }), excluded });
  const cells = [
    at('A', 500, [20, 19, 21]),
    at('B', 500),
    at('A', 100, [10, 9, 11]),
    at('B', 100, [30, 28, 33], true),
  ];
  const [block] = listBlocks(groupCells({ cells } as unknown as Run));

  it('is found where groups differ in one parameter, in ascending order', () => {
    expect(block?.sweep).toEqual({ parameter: 'delay_ms', values: [100, 500] });
    expect(block?.groups.map((group) => group.parameters.delay_ms)).toEqual([100, 500]);
  });

  it('is a curve a framework, hollow where excluded and open where nothing was measured', () => {
    if (!block?.sweep) throw new Error('no sweep');
    const curves = sweepCurves(sweepRows(block, block.sweep, METRIC));
    expect(curves.map((curve) => curve.dots.map((dot) => [dot.x, dot.y, dot.hollow]))).toEqual([
      [
        [100, 10, undefined],
        [500, 20, undefined],
      ],
      [
        [100, 30, true],
        [500, null, undefined],
      ],
    ]);
  });
});

it('tells what is each framework’s own once, and by scenario where that differs', () => {
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

it('is asked for again from a shell with what make up has put there', () => {
  const run = { cells: [cell({ name: 'node' })], trials_per_cell: 5 } as unknown as Run;
  expect(shellCommand(run)).toBe(
    '.venv/bin/tacho run node --scenario hello --profile rate-quick \\\n' +
      '  --param rate_rps=1000 --param duration_seconds=10 --trials 5 --wait',
  );
});
