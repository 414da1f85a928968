/** The queue of an installation with two hosts, and a group of runs, for component tests. */
import type { DocumentAt } from '@/testing/api';
import { framework } from './catalogue';
import { runs } from './runs';

const [first] = runs.items;
if (first === undefined) throw new Error('The document of runs has no run.');

const running = {
  ...first,
  id: '01a20000-0000-7000-8000-000000000001',
  slug: 'r2222222r2',
  title: 'Measured now',
  status: 'running' as const,
  host: 'bench-01',
};
const waiting = {
  ...first,
  id: '01a20000-0000-7000-8000-000000000002',
  slug: 'r3333333r3',
  title: 'Waits behind it',
  status: 'queued' as const,
  host: 'bench-01',
};

export const queue: DocumentAt<'/api/v1/queue'> = {
  hosts: [
    {
      host: 'bench-01',
      state: 'busy',
      is_usable: true,
      runs: [
        {
          run: running,
          requested_by: 'ann@example.org',
          waited_seconds: 12,
          expected_start_at: null,
          expected_end_at: '2026-11-25T03:00:00Z',
          may_cancel: true,
        },
        {
          run: waiting,
          requested_by: null,
          waited_seconds: 3720,
          expected_start_at: '2026-11-25T03:00:00Z',
          expected_end_at: '2026-11-25T03:05:00Z',
          may_cancel: false,
        },
      ],
    },
    { host: 'bench-02', state: 'idle', is_usable: true, runs: [] },
  ],
  is_complete: true,
};

const estimate = { unit: 'ms', n: 3, values: [], direction: 'lower' as const };

export const runGroup: DocumentAt<'/api/v1/run-groups/{group}'> = {
  slug: 'w7f4c2kx9p',
  permalink: '/g/w7f4c2kx9p',
  title: 'Node or Go?',
  created_at: '2026-11-25T02:00:00Z',
  may_cancel: true,
  runs: [
    {
      ...first,
      id: running.id,
      slug: running.slug,
      host: 'bench-01',
      status: 'succeeded',
      outcome: 'usable',
      summary: 'Node.js needs the least CPU per request',
    },
    { ...waiting, host: 'bench-02' },
  ],
  rows: [
    {
      framework: { slug: framework.slug, name: framework.name, colour: framework.colour },
      scenario: { slug: 'hello', name: 'Hello' },
      profile: 'rate-quick',
      parameters: { rate_rps: 500 },
      metric: 'latency_p50_ms',
      results: [
        {
          host: 'bench-01',
          run_id: running.id,
          cell_id: '01a20000-0000-7000-8000-00000000000a',
          framework_digest: framework.digest,
          excluded: false,
          summary: { ...estimate, estimate: 1.25, low: 1.2, high: 1.3 },
        },
        {
          host: 'bench-02',
          run_id: waiting.id,
          cell_id: '01a20000-0000-7000-8000-00000000000b',
          framework_digest: framework.digest,
          excluded: false,
          summary: null,
        },
      ],
    },
  ],
};
