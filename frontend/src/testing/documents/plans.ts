/** Schedules, webhooks, limits of metrics, and presets. */
import type { DocumentAt } from '@/testing/api';
import { GO, NODE, page } from './builders';

export const schedule: DocumentAt<'/api/v1/schedules/{schedule_id}'> = {
  id: '01a2062f-2a5e-7738-8b88-9cc3bbc10b9d',
  name: 'Nightly',
  cron: '0 2 * * *',
  time_zone: 'UTC',
  words: 'At 02:00 every day',
  enabled: true,
  host: 'bench-01',
  visibility: 'unlisted',
  run: {
    title: null,
    host: 'bench-01',
    cells: [{ framework: 'node', scenario: 'hello', profile: null, parameters: {} }],
    trials: 3,
    visibility: 'unlisted',
    purpose: null,
  },
  next_times: ['2026-11-24T02:00:00Z', '2026-11-25T02:00:00Z', '2026-11-26T02:00:00Z'],
  scheduled_runs: [],
  created_at: '2026-11-23T02:14:44.052633Z',
};

export const schedules: DocumentAt<'/api/v1/schedules'> = page(schedule);

export const webhooks: DocumentAt<'/api/v1/webhooks'> = page({
  id: '01a2062f-1f17-7360-b3e8-bda3a49a8b92',
  url: 'https://chat.example.org/hook',
  events: ['run.finished'],
  description: '',
  enabled: true,
  disabled_reason: null,
  failures_in_a_row: 0,
  created_at: '2026-11-23T02:14:41.174182Z',
});

export const slos: DocumentAt<'/api/v1/slos'> = page({
  id: '01a2062f-1ef0-76d9-b362-463d3c7581c2',
  framework: null,
  scenario: 'hello',
  profile: 'rate-quick',
  parameters: { rate_rps: 1000 },
  metric: 'latency_p99_ms',
  limit: 5.0,
  unit: 'ms',
  direction: 'lower',
  created_at: '2026-11-23T02:14:41.125536Z',
});

const helloCell = { scenario: 'hello', profile: 'rate-quick', parameters: { rate_rps: 1000 } };
const both = [NODE, GO];

export const presets: DocumentAt<'/api/v1/presets'> = page(
  {
    kind: 'question',
    slug: 'first-look',
    name: 'First look',
    description: 'Which of two frameworks needs less CPU per request?',
    is_starter: true,
    request: {
      title: 'First look',
      cells: both.map(({ slug }) => ({ ...helloCell, framework: slug })),
      until: 'ranked',
      max_trials: 10,
      max_minutes: 3,
      visibility: 'unlisted',
    },
    frameworks: both,
    results: 2,
    seconds: 180,
  },
  {
    kind: 'question',
    slug: 'least-cpu',
    name: 'Least CPU at 1,000 req/s',
    description: 'Which framework needs the least CPU per request at the same rate?',
    is_starter: false,
    request: {
      title: 'Least CPU at 1,000 req/s',
      cells: both.map(({ slug }) => ({ ...helloCell, framework: slug })),
      trials: 5,
      visibility: 'unlisted',
    },
    frameworks: both,
    results: 2,
    seconds: 210,
  },
  {
    kind: 'study',
    slug: 'wrk-flavours',
    name: 'Flavours of frameworks under wrk, by size',
    description: 'Six services return lists of articles.',
    is_starter: false,
    request: {
      title: 'Flavours of frameworks under wrk, by size',
      cells: [{ framework: 'go-nethttp', scenario: 'articles', parameters: {} }],
      trials: 2,
      visibility: 'unlisted',
    },
    frameworks: both.slice(1),
    results: 1,
    seconds: 40,
  },
);
