/** The leaderboard, a history with a level shift, and the change that was found in it. */
import type { ChangePointOut, EntryOut, HistoryPoint } from '@/api/schema';
import type { DocumentAt } from '@/testing/api';
import { AT, digestOf, estimate, HELLO, idOf, NODE, page, ratioOf, resultOf } from './builders';
import { run } from './runs';

const [node, go] = run.cells;
if (node === undefined || go === undefined) throw new Error('The run has no two results.');

const entry = {
  estimate: estimate([35, 35], { low: 30, high: 41, unit: 'µs' }),
  rank: 1,
  equivalent: [],
  undecided: [],
  to_best: null,
  coverage: 1,
  missing: [],
} satisfies Partial<EntryOut>;

export const leaderboard: DocumentAt<'/api/v1/leaderboard'> = {
  scenario: HELLO,
  host: 'bench-01',
  hosts: ['bench-01'],
  profile: 'rate-quick',
  kind: 'rate',
  runtime: 'process',
  parameters: node.parameters,
  board: '63bd99d0ad61',
  metric: 'cpu_us_per_request',
  weights: {},
  unit: 'µs',
  direction: 'lower',
  trusted: 0,
  unwarned: 0,
  sentences: ['Go net/http has the lowest CPU per request: 35 µs [30, 41].'],
  entries: [
    { ...entry, result: resultOf(run, go) },
    {
      ...entry,
      result: resultOf(run, node),
      estimate: estimate([94, 96], { unit: 'µs' }),
      rank: 2,
      to_best: ratioOf({
        ratio: 2.7,
        low: 2.5,
        high: 2.9,
        state: 'difference',
        is_better: false,
        text: '2.70× [2.50, 2.90]',
        words: 'higher',
      }),
    },
  ],
  apart: [],
  excluded: [],
  profiles: [{ profile: 'rate-quick', runtime: 'process', frameworks: 2, at: AT }],
};

const SHORT = { rate_rps: 500, warm_up_seconds: 1, duration_seconds: 3 };
const SHIFT = {
  ratio: 1.0835297162947317,
  low: 1.0602890984449571,
  high: 1.1072797483399663,
  is_adjusted: false,
};
const P_VALUE = 2.1795343502860593e-9;
const CHANGE = idOf(71);

function dayOf(day: number): string {
  return `2026-11-${day}T00:00:00Z`;
}

/** Return the result of a day, with an interval of 2 % on both sides. */
function pointOf(day: number, value: number, part: Partial<HistoryPoint> = {}): HistoryPoint {
  return {
    run_id: idOf(800 + day),
    run_slug: `day${day}00000`,
    cell_id: idOf(900 + day),
    at: dayOf(day),
    estimate: value,
    low: value * 0.98,
    high: value * 1.02,
    n: 5,
    excluded: false,
    framework_digest: digestOf(NODE.slug),
    host_digest: 'as measured',
    ...part,
  };
}

const place = {
  framework: NODE,
  host: 'bench-01',
  runtime: 'process',
  profile: 'rate-quick',
} as const;

export const history: DocumentAt<'/api/v1/history'> = {
  scenario: HELLO,
  answers: [
    {
      framework: NODE.slug,
      series: 0,
      is_better: false,
      headline: 'Node.js has been slower since 28 Nov 2026',
      sentences: [
        'Latency p50 is at 1.08× [1.06, 1.11] of the level before.',
        'No confirmation run has confirmed it yet. p = 2 · 10⁻⁹.',
      ],
      since: dayOf(28),
      change_id: null,
    },
  ],
  loads: [
    { key: '0123456789ab', rate: 500, points: 30 },
    { key: 'ba9876543210', rate: 100, points: 1 },
  ].map(({ key, rate, points }) => ({
    key,
    profile: 'rate-quick',
    kind: 'rate' as const,
    parameters: { ...SHORT, rate_rps: rate },
    points,
    at: dayOf(30),
  })),
  load: '0123456789ab',
  hosts: ['bench-01'],
  metric: 'latency_p50_ms',
  unit: 'ms',
  direction: 'lower',
  p_value: 0.0001,
  min_points: 20,
  series: [
    {
      ...place,
      parameters: SHORT,
      points: [pointOf(27, 11.04), pointOf(28, 10.85), pointOf(29, 10.42), pointOf(30, 10.95)],
      changes: [
        {
          ...SHIFT,
          index: 24,
          at: dayOf(25),
          run_slug: 'zw26b7rqm8',
          p_value: P_VALUE,
          known: { id: CHANGE, status: 'testing' },
        },
      ],
      events: [],
      limits: [
        {
          slo_id: idOf(990),
          limit: 10.5,
          is_within: false,
          since: dayOf(30),
          text: 'Beyond the limit of at most 10.5 ms since 30 Nov 2026',
        },
      ],
    },
    {
      ...place,
      parameters: node.parameters,
      points: [pointOf(23, 2.1, { run_slug: run.slug, cell_id: node.id, at: AT, n: 2 })],
      changes: [],
      events: [],
      limits: [],
    },
  ],
};

function sideOf(runSlug: string, day: number, digit: string) {
  return {
    run_slug: runSlug,
    cell_id: idOf(900 + day),
    at: dayOf(day),
    image_digest: digit.repeat(64),
  };
}

function changePoint(runSlug: string, day: number, value: number): ChangePointOut {
  const { cell_id, at, estimate, low, high, n } = pointOf(day, value);
  return { run_slug: runSlug, cell_id, n, at, estimate, low, high, is_after: day > 24 };
}

export const change: DocumentAt<'/api/v1/changes/{change_id}'> = {
  id: CHANGE,
  incident_id: idOf(72),
  is_open: true,
  acknowledged_at: null,
  status: 'testing',
  reason: 'The builds before and after run side by side in 5 pairs of trials.',
  note: null,
  is_by_hand: false,
  framework: NODE,
  scenario: HELLO,
  profile: 'rate-quick',
  kind: 'rate',
  parameters: SHORT,
  metric: 'latency_p50_ms',
  unit: 'ms',
  direction: 'lower',
  is_worse: true,
  host: 'bench-01',
  runtime: 'process',
  at: dayOf(25),
  history: SHIFT,
  p_value: P_VALUE,
  before: sideOf('64b868qjhx', 24, 'a'),
  after: sideOf('zw26b7rqm8', 25, 'b'),
  confirmation: { run_slug: '4k3wdkj888', pairs: null, found: null },
  host_event_id: null,
  found_at: AT,
  changed_at: AT,
  points: [
    changePoint('qmtzs8553v', 23, 9.93),
    changePoint('64b868qjhx', 24, 9.99),
    changePoint('zw26b7rqm8', 25, 10.86),
    changePoint('8hd5cjpqhf', 26, 10.95),
  ],
};

export const detections: DocumentAt<'/api/v1/history/changes'> = {
  p_value: history.p_value,
  answers: history.answers,
  series: history.series.map(({ changes }) => ({ changes })),
};

export const detectorTests: DocumentAt<'/api/v1/history/self-test'> = {
  p_value: history.p_value,
  series: history.series.map(() => ({
    ratio: 1.05,
    injections: 40,
    found: 38,
    shuffles: 40,
    alarms: 0,
  })),
};

export const latestResults: DocumentAt<'/api/v1/frameworks/{slug}/results'> = page({
  run_slug: run.slug,
  host: run.host,
  at: run.created_at,
  metric: 'cpu_us_per_request',
  cell: node,
});
