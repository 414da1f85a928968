/**
 * Builds the parts that several documents contain. A test overrides what it is about; the compiler
 * checks everything against the API's schema.
 */
import type {
  CellOut,
  FrameworkRef,
  Metric,
  MetricRatioOut,
  MetricSummary,
  Percentile,
  ResultItem,
  RunListItem,
  RunOut,
  ScenarioRef,
  TrialOut,
  VerdictOut,
} from '@/api/schema';

/** When everything happened, unless a test overrides it. */
export const AT = '2026-11-23T02:14:35.286125Z';

export const NODE: FrameworkRef = { slug: 'node', name: 'Node.js', colour: 27 };
export const GO: FrameworkRef = { slug: 'go-nethttp', name: 'Go net/http', colour: 4 };
export const HELLO: ScenarioRef = { slug: 'hello', name: 'Hello' };
export const LOAD = {
  rate_rps: 1000,
  timeout_ms: 5000,
  warm_up_seconds: 8,
  duration_seconds: 10,
};
export const GROUP = 'hello.rate-quick';
export const ENVIRONMENT = {
  host: { cores: 4, cpu_model: 'Test CPU' },
  harness: { tacho: '0.0.0', k6_sha256: 'of a test' },
  host_digest: 'as measured',
  harness_digest: 'of a test',
};

/** Return a page of a list, without a next page. */
export function page<Item>(...items: Item[]): { items: Item[]; next: null } {
  return { items, next: null };
}

/** Return a digest in hexadecimal digits that begins with a word. */
export function digestOf(word: string): string {
  const digits = Array.from(word, (letter) => letter.charCodeAt(0).toString(16)).join('');
  return digits.padEnd(64, '0');
}

/** Return a UUID that ends in a number. */
export function idOf(number: number): string {
  return `01a2062f-0000-7000-8000-${String(number).padStart(12, '0')}`;
}

/** The values and units that every trial measures besides latency. */
const FIGURES = {
  throughput_rps: [3, 'req/s'],
  success_ratio: [1, 'share'],
  cpu_us_per_request: [166_666.66666666666, 'µs'],
  cpu_seconds: [0.5, 's'],
  cpu_cores: [0.5, 'cores'],
  memory_peak_bytes: [110_000_000, 'B'],
  memory_anon_bytes: [60_000_000, 'B'],
  memory_file_bytes: [30_000_000, 'B'],
  memory_sock_bytes: [4096, 'B'],
  idle_memory_bytes: [40_000_000, 'B'],
  threads_peak: [11, 'threads'],
  page_faults_per_request: [6.666666666666667, 'faults'],
  connections_per_request: [0.3333333333333333, 'connections'],
  boot_ms: [100, 'ms'],
  first_response_ms: [5, 'ms'],
  request_bytes: [100, 'B'],
  response_bytes: [200, 'B'],
  image_bytes: [150_000_000, 'B'],
} as const satisfies Partial<Record<Metric, readonly [number, string]>>;

/** Latencies as multiples of the median. */
const LATENCIES = {
  latency_p50_ms: 1,
  latency_p90_ms: 1.4,
  latency_p95_ms: 1.45,
  latency_p99_ms: 1.49,
  latency_p999_ms: 1.5,
  latency_max_ms: 1.51,
  latency_mean_ms: 1.02,
} as const satisfies Partial<Record<Metric, number>>;

export type MeasuredMetric = keyof typeof FIGURES | keyof typeof LATENCIES;

const HIGHER_IS_BETTER: readonly string[] = ['throughput_rps', 'success_ratio'];

/** Return the metrics of one trial with a median latency. */
export function measure(latencyMs: number): Record<MeasuredMetric, number> {
  return mapValues({ ...FIGURES, ...LATENCIES }, (known: number | readonly [number, string]) =>
    typeof known === 'number' ? known * latencyMs : known[0],
  );
}

/** Return an object with the same keys. */
export function mapValues<Key extends string, From, To>(
  object: Record<Key, From>,
  change: (value: From, key: Key) => To,
): Record<Key, To> {
  const entries = Object.entries(object) as [Key, From][];
  return Object.fromEntries(entries.map(([key, value]) => [key, change(value, key)])) as Record<
    Key,
    To
  >;
}

/** Return the estimate of a metric: the geometric mean of its values, and their range as its interval. */
export function estimate(
  values: readonly number[],
  part: Partial<MetricSummary> = {},
): MetricSummary {
  const isOne = values.length < 2;
  const logs = values.map((value) => Math.log(value));
  return {
    estimate: Math.exp(logs.reduce((sum, log) => sum + log, 0) / values.length),
    low: isOne ? null : Math.min(...values),
    high: isOne ? null : Math.max(...values),
    unit: 'ms',
    n: values.length,
    direction: 'lower',
    ...part,
  };
}

/** Return the estimates of all metrics of trials with these median latencies. */
export function summarize(...latencies: readonly number[]): Record<MeasuredMetric, MetricSummary> {
  const trials = latencies.map(measure);
  return mapValues(measure(1), (_, metric) =>
    estimate(
      trials.map((trial) => trial[metric]),
      {
        unit: metric in FIGURES ? FIGURES[metric as keyof typeof FIGURES][1] : 'ms',
        direction: HIGHER_IS_BETTER.includes(metric) ? 'higher' : 'lower',
      },
    ),
  );
}

/** Return percentiles from a lowest latency to one four times as long. */
export function percentilesOf(lowestMs: number): Percentile[] {
  return [0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.8, 0.82].map((quantile) => ({
    quantile,
    latency_ms: lowestMs * (1 + quantile * 2.5),
  }));
}

/** Return the verdict on a result of few trials. */
export function tooFewTrials(trials: number): VerdictOut {
  return {
    verdict: 'too_few_trials',
    detail: `Only ${trials} of the 5 recommended trials: treat the result as a hint.`,
    trials,
    excludes_from_ranking: false,
  };
}

/** Return a ratio of two equivalent results. */
export function ratioOf(part: Partial<MetricRatioOut> = {}): MetricRatioOut {
  return {
    ratio: 1,
    low: 1,
    high: 1,
    state: 'equivalent',
    is_better: null,
    text: '1× [1, 1]',
    words: 'equivalent within 3 %',
    explanation: null,
    trials_needed: null,
    method: 'paired',
    n: 2,
    ...part,
  };
}

/** Return a cell of a run whose succeeded trials had these median latencies. */
export function cellOf(
  id: string,
  framework: FrameworkRef,
  latencies: readonly number[],
  part: Partial<CellOut> = {},
): CellOut {
  return {
    id,
    framework,
    scenario: HELLO,
    profile: 'rate-quick',
    kind: 'rate',
    parameters: LOAD,
    builds: null,
    environment: {},
    trials_succeeded: latencies.length,
    trials_failed: 0,
    excluded: false,
    verdicts: latencies.length === 0 ? [] : [tooFewTrials(latencies.length)],
    summary: latencies.length === 0 ? {} : summarize(...latencies),
    ...part,
  };
}

/** Return a succeeded trial of a cell. */
export function trialOf(
  cell: Pick<CellOut, 'id'>,
  position: number,
  latencyMs: number,
  part: Partial<TrialOut> = {},
): TrialOut {
  return {
    id: idOf(100 + position),
    cell_id: cell.id,
    repetition: 1,
    position,
    status: 'succeeded',
    attempt: 1,
    runtime: 'process',
    started_at: AT,
    finished_at: AT,
    stage_seconds: { building: 0.5, measuring: 1 },
    verdicts: [
      {
        verdict: 'ok',
        detail: 'No check found a problem.',
        trials: 1,
        excludes_from_ranking: false,
      },
    ],
    failure: null,
    retried_failures: [],
    metrics: measure(latencyMs),
    ...part,
  };
}

/** Return a succeeded run as a list shows it. */
export function runItem(part: Partial<RunListItem> = {}): RunListItem {
  const slug = part.slug ?? 'nzddqqt8f7';
  return {
    id: idOf(1),
    slug,
    title: 'Node against Go',
    status: 'succeeded',
    visibility: 'public',
    purpose: 'comparison',
    permalink: `/r/${slug}`,
    host: 'bench-01',
    runtime: 'process',
    frameworks: [NODE, GO],
    scenarios: [HELLO],
    trials_per_cell: 2,
    progress: {
      trials_total: 4,
      trials_finished: 4,
      trials_failed: 0,
      share: 1,
      queue_position: null,
      estimated_seconds_left: null,
    },
    cancel_requested: false,
    study: null,
    example: false,
    created_at: AT,
    started_at: AT,
    finished_at: AT,
    ...part,
  };
}

/** Return a run of one group. */
export function runOf(item: RunListItem, cells: CellOut[], trials: TrialOut[]): RunOut {
  return {
    ...item,
    is_own: true,
    seed: 3_919_594_546,
    rerun_of: null,
    environment: ENVIRONMENT,
    cells,
    gate: null,
    finalization_failure: null,
    groups: [
      {
        key: GROUP,
        scenario: HELLO,
        profile: 'rate-quick',
        kind: 'rate',
        parameters: LOAD,
        cells: cells.map(({ id }) => id),
      },
    ],
    blocks: [{ key: GROUP, label: 'Hello', parameter: null, groups: [GROUP] }],
    trials,
  };
}

/** Return a cell of a run as lists of results show it. */
export function resultOf(run: RunListItem, cell: CellOut): ResultItem {
  return {
    cell_id: cell.id,
    run_id: run.id,
    run_slug: run.slug,
    run_title: run.title,
    at: run.created_at,
    host: run.host,
    runtime: run.runtime,
    framework: cell.framework,
    framework_digest: digestOf(cell.framework.slug),
    scenario: cell.scenario,
    scenario_digest: digestOf(cell.scenario.slug),
    host_digest: ENVIRONMENT.host_digest,
    harness_digest: ENVIRONMENT.harness_digest,
    image_digest: null,
    profile: cell.profile,
    kind: cell.kind,
    parameters: cell.parameters,
    trials_succeeded: cell.trials_succeeded,
    trials_failed: cell.trials_failed,
    excluded: cell.excluded,
    verdicts: cell.verdicts,
  };
}
