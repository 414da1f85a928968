/** A comparison of the results of a run. */
import type { CellOut } from '@/api/schema';
import type { DocumentAt } from '@/testing/api';
import {
  ENVIRONMENT,
  mapValues,
  measure,
  type MeasuredMetric,
  percentilesOf,
  ratioOf,
  resultOf,
} from './builders';
import { run } from './runs';

type Comparison = DocumentAt<'/api/v1/comparisons'>;
type Charts = DocumentAt<'/api/v1/comparisons/charts'>;

const [node, go] = run.cells;
if (node === undefined || go === undefined) throw new Error('The run has no two results.');

const LATENCIES = { [node.id]: [2, 2.2], [go.id]: [4, 4.2] };

function compared(cell: CellOut): Comparison['cells'][number] {
  const trials = (LATENCIES[cell.id] ?? []).map(measure);
  return {
    ...resultOf(run, cell),
    label: cell.framework.name,
    summary: cell.summary,
    values: mapValues(measure(1), (_, metric) =>
      Object.fromEntries(trials.map((trial, index) => [String(index + 1), trial[metric]])),
    ),
    environment: { ...ENVIRONMENT, host: { cpu_model: 'Test CPU', logical_cores: 4 } },
  };
}

const higher = ratioOf({
  ratio: 1.95,
  low: 1.46,
  high: 2.61,
  state: 'difference',
  is_better: false,
  text: '1.95× [1.46, 2.61]',
  words: 'higher',
});

export const comparison: Comparison = {
  statistics_version: 1,
  baseline: node.id,
  metric: 'cpu_us_per_request',
  sentences: {
    cpu_us_per_request: [
      'Node.js (167 ms [167, 167]) and Go net/http (167 ms [167, 167]) are equivalent in CPU per request.',
    ],
    latency_p50_ms: ['Node.js has a lower latency p50 than Go net/http.'],
  },
  cells: [compared(node), compared(go)],
  pairs: [
    {
      cell_id: go.id,
      comparability: 'comparable',
      differences: [],
      ratios: mapValues(measure(1), (_, metric: MeasuredMetric) =>
        metric.startsWith('latency') ? higher : ratioOf(),
      ),
    },
  ],
};

/** Return the charts of a result with one second. */
function chartsOf(id: string, lowestMs: number, histogram: string): Charts['cells'][number] {
  const same = (value: number) => ({ low: [value], middle: [value], high: [value] });
  return {
    cell_id: id,
    requests: 6,
    percentiles: percentilesOf(lowestMs),
    histogram,
    series: {
      seconds: [0],
      throughput_rps: same(3),
      latency_p99_ms: {
        low: [lowestMs * 2.9],
        middle: [lowestMs * 3],
        high: [lowestMs * 3.2],
      },
      cpu_cores: same(0.5),
      memory_bytes: same(100_000_000),
    },
    steps: [],
  };
}

export const charts: Charts = {
  cells: [chartsOf(node.id, 1, '9A0BEgFuARIBMQESAQ=='), chartsOf(go.id, 2, '9A4BDAF0AQwBNwEJAQ==')],
};
