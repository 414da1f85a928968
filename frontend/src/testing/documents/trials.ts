/** Listed results, and what one trial recorded. */
import type { Phase, SampleOut } from '@/api/schema';
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

export const heatmap: DocumentAt<'/api/v1/cells/{cell_id}/heatmap'> = {
  first_second: -1,
  seconds_per_column: 1,
  edges_ms: [1, 2, 3, 4, 8, 10],
  columns: [
    [0, 0, 0, 0, 2],
    [2, 2, 2, 0, 0],
  ],
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

/** Return the first second of a phase. */
function secondOf(phase: Phase, requests: number, latencyMs: number): SampleOut {
  return {
    phase,
    second: 0,
    requests,
    failed: 0,
    connections_opened: 1,
    errors: {},
    bytes_sent: 100 * requests,
    bytes_received: 200 * requests,
    dropped: 0,
    vus: 2,
    in_flight: 0.006,
    latency_p50_ms: latencyMs,
    latency_p90_ms: latencyMs * 1.4,
    latency_p95_ms: latencyMs * 1.45,
    latency_p99_ms: latencyMs * 1.49,
    latency_max_ms: latencyMs * 1.5,
    cpu_service_seconds: 0.5,
    cpu_backing_seconds: 0,
    cpu_load_seconds: 0.1,
    cpu_other_seconds: 0,
    cpu_steal_seconds: 0,
    throttled_seconds: 0,
    thermal_throttles: null,
    cpu_mhz: null,
    memory_bytes: 100_000_000,
    memory_anon_bytes: 60_000_000,
    memory_file_bytes: 30_000_000,
    memory_sock_bytes: 4096,
    threads: 11,
    page_faults: 20,
  };
}

export const series: DocumentAt<'/api/v1/trials/{trial_id}/series'> = {
  samples: [secondOf('warm_up', 1, 9), secondOf('measure', 3, 2)],
};

export const logs: DocumentAt<'/api/v1/trials/{trial_id}/logs'> = { items: [] };
