import { describe, expect, it } from 'vitest';
import type { MetricSummary, Run, RunCell } from '@/api/runs';
import { blockTitle, groupCells, listBlocks } from './groups';
import { noiseBand, rankCells, scaleEnd } from './ranking';
import { describeResult, headlineMetric } from './sentence';
import { sweepCurves, sweepRows } from './sweep';

interface Spec {
  name: string;
  value?: [number, number | null, number | null];
  barred?: boolean;
  profile?: string;
  parameters?: Record<string, number>;
  n?: number;
}

function cell({ name, value, barred = false, profile = 'rate-quick', parameters, n = 5 }: Spec) {
  const [estimate, low, high] = value ?? [0, null, null];
  const summary: MetricSummary = { estimate, low, high, unit: 'µs', n, direction: 'lower' };
  return {
    id: name,
    framework: { slug: name, name, colour: 0 },
    scenario: { slug: 'hello', name: 'Hello' },
    profile,
    kind: 'rate',
    parameters: parameters ?? { rate_rps: 1000, duration_seconds: 10 },
    barred,
    trials_failed: value || barred ? 0 : 2,
    verdicts: barred
      ? [
          { verdict: 'host_busy', bars_ranking: false },
          { verdict: 'generator_saturated', bars_ranking: true },
        ]
      : [],
    summary: value ? { cpu_us_per_request: summary } : {},
  } as unknown as RunCell;
}

const METRIC = 'cpu_us_per_request';
const describeIt = (cells: RunCell[]) =>
  describeResult(cells, METRIC, 'CPU per request').join(' ').replaceAll('\u2009', ' ');

describe('places', () => {
  const ranked = rankCells(
    [
      cell({ name: 'C', value: [94, 92, 96] }),
      cell({ name: 'X', value: [10, 9, 11], barred: true }),
      cell({ name: 'B', value: [63, 61, 66] }),
      cell({ name: 'N' }),
      cell({ name: 'A', value: [61, 60, 63] }),
    ],
    METRIC,
  );

  it('are shared where intervals overlap, and not given to what is barred or missing', () => {
    expect(ranked.map((one) => [one.cell.id, one.place])).toEqual([
      ['A', 1],
      ['B', 1],
      ['C', 3],
      ['X', null],
      ['N', null],
    ]);
  });

  it('have the noise of the host around the best', () => {
    expect(noiseBand(ranked, 1.22)).toEqual([50, 61 * 1.22]);
    expect(noiseBand(ranked, undefined)).toBeNull();
    expect(noiseBand(rankCells([cell({ name: 'N' })], METRIC), 1.2)).toBeNull();
  });

  it('leave the scale to the widest bar, not to an endless whisker', () => {
    expect(scaleEnd(ranked)).toBe(96);
    expect(scaleEnd(rankCells([cell({ name: 'A', value: [10, 0.1, 900] })], METRIC))).toBe(16);
  });
});

describe('the sentence', () => {
  it('says that overlapping intervals show no difference', () => {
    const text = describeIt([
      cell({ name: 'A', value: [61, 60, 63] }),
      cell({ name: 'B', value: [63, 61, 66] }),
      cell({ name: 'C', value: [94, 92, 96] }),
    ]);
    expect(text).toBe(
      'Lowest CPU per request: A 61 µs [60, 63]. ' +
        'Intervals overlap with B 63 µs [61, 66]: no difference shown. ' +
        'C 94 µs [92, 96]: the interval does not overlap with it.',
    );
  });

  it('concludes nothing from one trial, and almost nothing from three', () => {
    const one = [
      cell({ name: 'A', value: [1, null, null], n: 1 }),
      cell({ name: 'B', value: [9, null, null], n: 1 }),
    ];
    expect(describeIt(one)).toContain('nothing is concluded');
    const mixed = [
      cell({ name: 'A', value: [1, 1, 2] }),
      cell({ name: 'B', value: [9, null, null], n: 1 }),
    ];
    expect(describeIt(mixed)).toContain('B 9 µs rests on one trial');
    const three = [
      cell({ name: 'A', value: [1, 1, 2], n: 3 }),
      cell({ name: 'B', value: [9, 8, 10], n: 3 }),
    ];
    expect(describeIt(three)).toContain('almost nothing can be concluded');
  });

  it('names what is barred and what gave no number', () => {
    const text = describeIt([
      cell({ name: 'A', value: [61, 60, 63] }),
      cell({ name: 'X', value: [1, 1, 1], barred: true }),
      cell({ name: 'N' }),
    ]);
    expect(text).toContain('X is barred: generator saturated.');
    expect(text).toContain('N gave no number');
    const both = [cell({ name: 'X', barred: true }), cell({ name: 'Y', barred: true })];
    expect(describeIt(both)).toContain('X and Y are barred: generator saturated.');
    expect(describeIt([cell({ name: 'N' })])).toBe(
      'No trial gave a CPU per request that can stand. 2 trials of N failed; why stands below.',
    );
  });

  it('is about the figure the load is for', () => {
    const cells = [cell({ name: 'A', value: [1, 1, 1] })];
    expect(headlineMetric('rate', cells)).toBe(METRIC);
    expect(headlineMetric('saturate', cells)).toBe('throughput_rps');
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
  const at = (name: string, delay: number, value?: Spec['value'], barred = false) =>
    cell({ name, parameters: { rate_rps: 9, delay_ms: delay }, ...(value && { value }), barred });
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

  it('is a curve a framework, hollow where barred and open where nothing was measured', () => {
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
