/** Listed results, and what one trial recorded. */
import type { DocumentAt } from '@/testing/api';
import { ENVIRONMENT, estimate, page, percentilesOf, resultOf } from './builders';
import { run } from './runs';

/** By framework, in µs. */
const CPU: Record<string, number> = { 'go-nethttp': 61.2, node: 94.8 };

export const cells: DocumentAt<'/api/v1/cells'> = page(
  ...run.cells.toReversed().map((cell) => ({
    ...resultOf(run, cell),
    metric: 'cpu_us_per_request' as const,
    metric_title: 'CPU per request',
    value: estimate([CPU[cell.framework.slug] ?? 0], { low: 60, high: 96, unit: 'µs', n: 5 }),
  })),
);

export const latency: DocumentAt<'/api/v1/cells/{cell_id}/latency'> = {
  counted_from: 'send',
  count: 6,
  failed: 0,
  mean_ms: 2.1,
  max_ms: 3.3,
  percentiles: percentilesOf(1),
  service_percentiles: [],
  buckets: [1, 1.1, 2, 2.2, 3, 3.3].map((ms) => ({ low_ms: ms, high_ms: ms * 1.01, count: 1 })),
};

const flat = (...values: number[]) => ({ low: values, middle: values, high: values });

/** A second of warm-up, then a measured one. */
export const charts: DocumentAt<'/api/v1/runs/{run_id}/charts'> = {
  cells: run.cells.map((cell) => ({
    cell_id: cell.id,
    percentiles: percentilesOf(1),
    seconds: [-1, 0],
    figures: {
      throughput_rps: flat(1, 3),
      latency_p99_ms: flat(13.4, 2.98),
      cpu_service_seconds: flat(0.5, 0.5),
      memory_bytes: flat(100_000_000, 100_000_000),
      page_faults: flat(20, 20),
    },
    heat_map: {
      first_second: -1,
      seconds_per_column: 1,
      edges_ms: [1, 2, 3, 4, 8, 10],
      columns: [
        [0, 0, 0, 0, 2],
        [2, 2, 2, 0, 0],
      ],
    },
    trial_steps: [],
  })),
};

const [first] = run.trials;
if (first === undefined) throw new Error('The run has no trial.');

export const trial: DocumentAt<'/api/v1/trials/{trial_id}'> = {
  ...first,
  run_id: run.id,
  image_digest: null,
  requests_total: null,
  environment: ENVIRONMENT,
  conformance: [],
  conformance_after: [],
  checks: null,
  warm_up: null,
  generator: null,
  k6_summary: null,
};

export const logs: DocumentAt<'/api/v1/trials/{trial_id}/logs'> = { items: [] };
