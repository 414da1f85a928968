/** Documents as the API returns them, for component tests. */
import type { DocumentAt } from '@/testing/api';
import { change } from './results';
import { runs } from './runs';

type Incident = DocumentAt<'/api/v1/incidents/{incident_id}'>;
type Run = Incident['confirmation_runs'][number];

// The schema of a change without points allows no further fields, but the compiler does.
const lead: Incident['lead'] = change;

const p99: Incident['changes'][number] = {
  ...lead,
  id: '01a2062f-281c-7464-a6e7-af05c15fe900',
  metric: 'latency_p99_ms',
  status: 'dismissed',
  is_open: false,
  reason: 'Dismissed by hand; it was suspected.',
  history: { ...lead.history, ratio: 1.05, low: 1.04, high: 1.06 },
  confirmation: null,
};

const head: DocumentAt<'/api/v1/incidents'>['items'][number] = {
  id: change.incident_id,
  kind: 'service',
  status: 'testing',
  is_open: true,
  headline: 'Latency p50 of Node.js on Hello is 1.08× [1.06, 1.11] of the earlier level',
  framework: change.framework,
  host: 'bench-01',
  at: change.at,
  found_at: change.found_at,
  note: null,
  lead,
  changes_total: 2,
  changes_worse: 2,
  changes_better: 0,
};

export const incidents: DocumentAt<'/api/v1/incidents'> = { items: [head], next: null };

const [template] = runs.items;
if (template === undefined) throw new Error('There is no run to take the confirmation run from.');

export const confirmationRun: Run = {
  ...template,
  slug: '4k3wdkj888',
  title: 'Confirmation run: node on hello',
  status: 'running',
  purpose: 'confirmation',
  trials_per_cell: 5,
  finished_at: null,
  progress: {
    trials_total: 10,
    trials_finished: 4,
    trials_failed: 0,
    share: 0.4,
    queue_position: null,
    estimated_seconds_left: 90,
  },
};

export const incident: Incident = {
  ...head,
  next_step: 'Wait for the confirmation run.',
  shown: change,
  changes: [lead, p99],
  confirmation_runs: [confirmationRun],
  programs: [
    {
      program: 'node',
      before: 'a'.repeat(64),
      after: 'b'.repeat(64),
      is_recorded: true,
      versions: [{ subject: 'runtime', before: '24.1.0', after: '24.2.0' }],
      files: [
        {
          path: 'server.js',
          change: 'changed',
          diff: '--- a/server.js\n+++ b/server.js\n@@ -1 +1 @@\n-fast();\n+slow();',
          is_cut: false,
        },
      ],
    },
  ],
  commit_before: 'c'.repeat(40),
  commit_after: 'd'.repeat(40),
  environment: [],
};

export const incidentCounts: DocumentAt<'/api/v1/incident-counts'> = {
  open: 1,
  suspected: 0,
  testing: 1,
  confirmed: 0,
  dismissed: 0,
  host_drift: 0,
};
