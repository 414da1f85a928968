/** Studies of the catalogue, one of them reproduced in part. */
import type { FigureComparisonOut, PlannedLoad, TableCell } from '@/api/schema';
import type { DocumentAt } from '@/testing/api';
import { estimate, idOf, page } from './builders';

type Study = DocumentAt<'/api/v1/studies/{slug}'>;

const NONE = { wanted: null, note: null };
const SYSTEMS = [
  { name: 'Rest API', framework: { slug: 'chain-go-rest', name: 'Chain: Go, REST', colour: 3 } },
  {
    name: 'RabbitMQ',
    framework: { slug: 'chain-go-rabbitmq', name: 'Chain: Go, RabbitMQ', colour: 2 },
  },
];

export const studies: DocumentAt<'/api/v1/studies'> = page({
  slug: 'nest-spring-micro',
  name: 'Nest, Spring and Micro',
  description: 'Three frameworks of three languages, each as a gateway with a service behind it.',
  authors: ['Heikki Kesa'],
  year: 2021,
  kind: "Master's thesis, Turku University of Applied Sciences",
  frameworks: [{ slug: 'nest', name: 'NestJS', colour: 26 }],
  tables: 5,
  figures: 11,
  claims: 13,
  reproductions: 0,
});

/** Return a load of each system for each length of text. */
function planned(variant: string, lengths: readonly number[], requests: number): PlannedLoad[] {
  return SYSTEMS.flatMap(({ framework }) =>
    lengths.map((length) => ({
      framework: framework.slug,
      scenario: 'chain',
      profile: `sizes-${variant}`,
      parameters: {
        connections: 1,
        requests,
        warm_up_seconds: 8,
        timeout_ms: 30_000,
        duration_seconds: 30,
        text_characters: length,
      },
    })),
  );
}

/** Return a published time; what was measured here is added where it is known. */
function cellOf(publishedMs: number, part: Partial<FigureComparisonOut> = {}): TableCell {
  return {
    printed: `${publishedMs.toFixed(1)} ms`,
    failed: false,
    system: 'Rest API',
    figures: [
      {
        metric: 'latency_mean_ms',
        published: publishedMs,
        unit: 'ms',
        measured: {
          cell_id: null,
          summary: null,
          unresponsive: false,
          excluded: false,
          verdicts: [],
          reason: 'Not part of this quick reproduction.',
        },
        ratio: null,
        ratio_low: null,
        ratio_high: null,
        ...part,
      },
    ],
  };
}

function measuredAs(value: number, low: number, high: number, verdicts: 'host_busy'[] = []) {
  return {
    cell_id: idOf(61),
    summary: estimate([value], { low, high, n: 2 }),
    unresponsive: false,
    excluded: false,
    verdicts,
    reason: null,
  };
}

/** The comparison that the only claim depends on. */
const check: Study['claim_results'][number]['checks'][number] = {
  finding: 'undecided',
  cause: 'too_few_trials',
  label:
    'Latency mean, Messages through six services, text characters 10, requests 100: Rest API ÷ RabbitMQ',
  metric: 'latency_mean_ms',
  unit: '×',
  expected: 'less, 2× to 1000×',
  value: 0.16224787332547227,
  low: 5.12208290341143e-5,
  high: 513.9388193249636,
  n: 2,
  reason: 'Only 2 trials; a claim is decided by at least 5.',
  measured: [],
};

const reproduction: Study['runs'][number] = {
  slug: 'gjz5ksqtmn',
  permalink: '/r/gjz5ksqtmn',
  variant: 'quick',
  status: 'succeeded',
  host: 'vm (example)',
  runtime: 'docker',
  trials_per_cell: 2,
  cells: 4,
  example: true,
  created_at: '2026-11-22T01:23:19.040208Z',
  finished_at: '2026-11-22T01:26:11.655608Z',
};

export const study: Study = {
  slug: 'communication-patterns',
  name: 'Communication patterns between microservices',
  description: 'Six services in a line pass on a number by REST and RabbitMQ.',
  authors: ['Dalius Mažeika', 'Justas Kazanavičius'],
  year: null,
  kind: 'Conference poster, Vilnius Gediminas Technical University',
  frameworks: SYSTEMS.map(({ framework }) => framework),
  tables: 8,
  figures: 80,
  claims: 1,
  reproductions: 1,
  source: {
    title: 'Benchmarking of Communication Patterns in Microservice Architecture',
    link: null,
    host: 'Intel Core i5-6300U, 12 GB, 512 GB SSD, Windows 10 Enterprise',
  },
  differences: [
    {
      topic: 'Memory',
      study: 'Memory of an application.',
      here: 'A sixth of the memory of all six services.',
      reason: 'Tacho measures the services of a framework together. They run the same program.',
    },
  ],
  systems: SYSTEMS.map((system) => ({ ...system, ...NONE })),
  experiments: [
    {
      slug: 'messages',
      name: 'Messages through six services',
      scenario: 'chain',
      profile: 'sizes',
      note: 'One connection sends the next message when the previous message has come back.',
    },
  ],
  deciding_trials: 5,
  host: 'bench-01',
  variants: {
    quick: { trials: 2, seconds: 656, cells: planned('quick', [10, 100_000], 100), impossible: [] },
    full: {
      trials: 5,
      seconds: 231_120,
      cells: planned('full', [10, 1000, 100_000, 1_000_000], 10_000),
      impossible: [],
    },
  },
  shown: reproduction,
  runs: [reproduction],
  result_tables: [
    {
      slug: 'rest-times',
      title: 'Rest API: time of a message',
      corner: 'Number of Messages',
      source_location: 'Fig. 2',
      printed: 'table',
      setting: false,
      note: null,
      columns: ['10 Char', '1000 Char', '100000 Char'],
      rows: [
        {
          head: '100',
          cells: [
            cellOf(3.7, {
              measured: measuredAs(0.86, 0.797, 0.928),
              shown: { value: 0.86, low: 0.797, high: 0.928, unit: 'ms' },
              ratio: 0.233,
              ratio_low: 0.215,
              ratio_high: 0.251,
            }),
            cellOf(3.8),
            cellOf(1.8, {
              measured: measuredAs(6.65, 2.09, 21.2, ['host_busy']),
              ratio: 3.69,
              ratio_low: 1.16,
              ratio_high: 11.8,
            }),
          ],
        },
        { head: '1000', cells: [cellOf(3.3), cellOf(3.9), cellOf(1.6)] },
      ],
      orders: [],
    },
  ],
  orders: [],
  lead: [
    'No headline claim of this study is confirmed here (1 × too few trials).',
    'Too few trials: The transport changes the time of a message.',
  ],
  claim_results: [
    {
      words: 'The transport changes the time of a message several times over.',
      source_location: 'Summary',
      headline: true,
      finding: 'undecided',
      cause: 'too_few_trials',
      unchecked: null,
      deciding: check,
      checks: [check, { ...check, label: 'Rest API ÷ gRPC', value: 0.65, low: 0.26, high: 1.66 }],
    },
  ],
};

export const examples: DocumentAt<'/api/v1/examples'> = page({
  slug: reproduction.slug,
  title: 'Communication patterns between microservices (quick)',
  study: study.slug,
  host: 'vm',
  loaded: false,
  left_out: 0,
});
