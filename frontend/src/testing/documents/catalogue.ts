/** The catalogue: two frameworks, a scenario, metrics and verdicts. */
import type { DocumentAt } from '@/testing/api';
import { digestOf, GO, page } from './builders';

type Framework = DocumentAt<'/api/v1/frameworks/{slug}'>;
type Metric = DocumentAt<'/api/v1/metrics'>['items'][number];

export const framework: Framework = {
  slug: 'node',
  version_of: null,
  name: 'Node.js',
  language: 'JavaScript',
  description:
    "Plain node:http on one event loop, the runtime's own fetch for the upstream. No packages.",
  concurrency: 'event_loop',
  mode: 'ootb',
  licence: 'MIT',
  versions: { language: 'ES2024', runtime: 'Node.js 24', framework: 'node:http' },
  language_settings: [
    'Node.js: an old generation of at most 512 MB, half of the memory, and semi-spaces of at most 16 MB',
  ],
  website: 'https://nodejs.org',
  source: 'https://github.com/nodejs/node',
  scenarios: ['hello', 'articles', 'cars-stream', 'slow-upstream'],
  topologies: {},
  colour: 27,
  digest: digestOf('node'),
  digests: {
    'bench-01': digestOf('node'),
  },
  unavailable: {},
};

const go: Framework = {
  ...framework,
  ...GO,
  language: 'Go',
  description: "Go's standard library: net/http's own router and its default client. No packages.",
  concurrency: 'goroutine',
  licence: 'BSD-3-Clause',
  versions: { language: 'Go 1.26', runtime: 'Go 1.27', framework: 'net/http' },
  language_settings: ['Go: no settings; GOMAXPROCS is the number of CPUs that the service has'],
  website: 'https://pkg.go.dev/net/http',
  source: 'https://github.com/golang/go',
  digest: digestOf('go-nethttp'),
  digests: { 'bench-01': digestOf('go-nethttp') },
};

export const frameworks: DocumentAt<'/api/v1/frameworks'> = page(go, framework);

export const scenario: DocumentAt<'/api/v1/scenarios/{slug}'> = {
  slug: 'hello',
  name: 'Hello',
  description:
    'The service answers Hello World! and does nothing else. Measures the cost of the framework itself.',
  method: 'GET',
  path: '/hello',
  backing_services: [],
  digest: digestOf('hello'),
  digests: {
    'bench-01': digestOf('hello'),
  },
  default_profile: 'rate-quick',
  profiles: [
    {
      slug: 'rate-quick',
      name: 'rate',
      variant: 'quick',
      kind: 'rate',
      description:
        'Every framework gets the same number of requests per second. Measures latency, CPU time and memory at this rate, not the highest rate.',
      sweeps: null,
      parameters: {
        type: 'object',
        additionalProperties: false,
        properties: {
          rate_rps: {
            type: 'integer',
            title: 'Rate',
            unit: 'req/s',
            minimum: 1,
            maximum: 100000,
            description: 'Requests per second, sent whether or not earlier ones were answered.',
            default: 1000,
          },
          warm_up_seconds: {
            type: 'integer',
            title: 'Warm-up',
            unit: 's',
            minimum: 0,
            maximum: 300,
            description:
              'Maximum seconds of load before the measurement. The warm-up ends when the load is steady; below 4 s it is not tested and takes the whole time.',
            default: 8,
          },
          timeout_ms: {
            type: 'integer',
            title: 'Timeout',
            unit: 'ms',
            minimum: 100,
            maximum: 60000,
            description: 'A request that takes longer counts as failed.',
            default: 5000,
          },
          duration_seconds: {
            type: 'integer',
            title: 'Duration',
            unit: 's',
            minimum: 1,
            maximum: 3600,
            description: 'Measured seconds.',
            default: 10,
          },
        },
      },
    },
  ],
  frameworks: ['go-nethttp', 'node', 'vertx'],
};

export const scenarios: DocumentAt<'/api/v1/scenarios'> = page(scenario);

function primary(
  metric: Metric['metric'],
  title: string,
  unit: string,
  direction: Metric['direction'] = 'lower',
): Metric {
  return { metric, title, unit, direction, aggregation: 'geometric', is_primary: true };
}

export const metrics: DocumentAt<'/api/v1/metrics'> = page(
  primary('throughput_rps', 'Throughput', 'req/s', 'higher'),
  primary('latency_p50_ms', 'Latency p50', 'ms'),
  primary('latency_p99_ms', 'Latency p99', 'ms'),
  primary('cpu_us_per_request', 'CPU per request', 'µs'),
);

export const verdicts: DocumentAt<'/api/v1/verdicts'> = page(
  { verdict: 'ok', excludes_from_ranking: false },
  { verdict: 'work_not_done', excludes_from_ranking: true },
  { verdict: 'wrong_answers', excludes_from_ranking: true },
  { verdict: 'faster_than_possible', excludes_from_ranking: true },
  { verdict: 'behaviour_changed', excludes_from_ranking: true },
  { verdict: 'generator_saturated', excludes_from_ranking: true },
  { verdict: 'server_idle', excludes_from_ranking: true },
);
