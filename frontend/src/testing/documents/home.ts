/** Documents as the API returns them, for component tests. */
import type { DocumentAt } from '@/testing/api';
import { incidents } from './incidents';
import { runs } from './runs';

const [run] = runs.items;
if (run === undefined) throw new Error('There is no run for the newest result.');

export const home: DocumentAt<'/api/v1/home'> = {
  open_incidents: 1,
  incidents: incidents.items,
  schedules: [
    {
      id: '01a2062f-2a5e-7738-8b88-9cc3bbc10b9d',
      name: 'Nightly',
      words: 'At 02:00 every day',
      host: 'bench-01',
      next_at: '2026-11-24T02:00:00Z',
      newest: { due_at: '2026-11-23T02:00:00Z', status: 'arrived', reason: null },
      latest: {
        run,
        previous_slug: 'p7v3kq9w2x',
        compared: 3,
        shifts: [
          {
            framework: { slug: 'node', name: 'Node.js', colour: 27 },
            scenario: { slug: 'hello', name: 'Hello' },
            metric: 'cpu_us_per_request',
            metric_title: 'CPU per request',
            is_better: false,
            text: '1.12× [1.08, 1.16]',
            ratio: 1.12,
            low: 1.08,
            high: 1.16,
          },
        ],
      },
    },
  ],
  hosts: [
    {
      name: 'bench-01',
      state: 'busy',
      runtime: 'process',
      seen_at: '2026-11-23T02:14:35.256741Z',
      is_usable: true,
      current_run: { slug: 'live000000', title: 'Live' },
      queued_trials: 6,
      wait_seconds: 240,
    },
  ],
};

export const emptyHome: DocumentAt<'/api/v1/home'> = {
  open_incidents: 0,
  incidents: [],
  schedules: [],
  hosts: [],
};
