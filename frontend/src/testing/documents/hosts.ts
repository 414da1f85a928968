/** A bench host, its calibration, and the state of an installation. */
import type { DocumentAt } from '@/testing/api';
import { page } from './builders';

export const host: DocumentAt<'/api/v1/hosts/{name}'> = {
  id: '01a2062f-07fd-7692-b811-c832b8c950ba',
  name: 'bench-01',
  state: 'busy',
  status: 'ready',
  has_key: true,
  runtime: 'process',
  runtime_reason: '',
  isolation: 'namespaces+filter',
  uses_host_network_for_builds: false,
  build_network: 'filtered',
  bases: null,
  is_reserved: false,
  is_usable: true,
  accepts_remote_load: false,
  queued_trials: 1,
  current_run_id: '01a2062f-1132-707c-9470-33f3fbc4477b',
  fingerprint: { cores: 4, cpu_model: 'Test CPU' },
  fingerprint_digest: 'digest of bench-01',
  cpus: null,
  unavailable: {},
  faults: [],
  seen_at: '2026-11-23T02:14:35.256741Z',
  calibration: null,
};

export const hosts: DocumentAt<'/api/v1/hosts'> = page(host);

export const calibration: NonNullable<DocumentAt<'/api/v1/hosts/{name}'>['calibration']> = {
  measured_at: '2026-11-23T01:14:35.256741Z',
  permalink: '/r/k3v9q2mx4d',
  is_current: true,
  overheads: [
    { rate_rps: 1000, latency_p50_ms: 0.08, latency_p99_ms: 0.5, trials: 5, verdicts: ['ok'] },
  ],
  noise: [
    {
      metric: 'latency_p50_ms',
      framework: 'go-nethttp',
      scenario: 'hello',
      profile: 'rate-quick',
      variation: 0.01,
      smallest_ratio: 1.06,
      instrument_ratio: 1.04,
      trials: 5,
      aa_ratio: 1.01,
    },
  ],
  truth: [{ rate_rps: 1000, quantile: 0.5, expected_ms: 5, reported_ms: 5.01, is_within: true }],
  disagreements: [
    {
      kind: 'rate',
      metric: 'latency_p50_ms',
      generator: 'k6 v2.1.0',
      ours: 5.2,
      theirs: 5,
      ratio: 1.04,
      low: 1.01,
      high: 1.07,
      size: 1.04,
      trials: 5,
    },
  ],
};

export const health: DocumentAt<'/api/v1/health'> = {
  status: 'ok',
  database: 'ok',
  broker: 'ok',
  hosts: [{ name: 'bench-01', status: 'ok', state: 'busy' }],
  parts: [],
  backup: null,
  version: '0.1.0',
  statistics_version: 1,
  detail: null,
};

export const installationState: DocumentAt<'/api/v1/installation'> = {
  findings: [
    {
      alert: 'TachoDiskShort',
      severity: 'critical',
      summary: 'The API starts nothing new: the disk of the database is nearly full',
      action: 'Free some space there. Retention makes a database smaller.',
      host: null,
    },
    {
      alert: 'TachoHostOffline',
      severity: 'warning',
      summary: 'The worker of the bench host bench-02 is offline',
      action: 'Start the worker, or pause or revoke the host on the page Installation → Hosts.',
      host: 'bench-02',
    },
  ],
  versions: {
    tacho: '0.1.0',
    statistics: 1,
    schema_revision: 'f20c6b8e4d17',
    postgresql: '16.4',
    redis: '7.4.1',
  },
  database: 'ok',
  broker: 'ok',
  parts: [
    {
      name: 'worker',
      status: 'down',
      restarts: 7,
      reason: 'ended with exit code 1',
      failed_at: '2026-11-25T09:00:00Z',
      next_try_at: '2026-11-25T09:01:00Z',
      last_lines: ['no such file'],
    },
  ],
  hosts: [
    {
      name: 'bench-02',
      is_online: false,
      is_busy: false,
      is_paused: false,
      lacks_disk: false,
      is_outdated: false,
      queued_trials: 12,
      oldest_run_seconds: 7200,
      unseen_seconds: 300,
      worker_version: '0.0.9',
      disks: [
        {
          name: 'container engine',
          size_bytes: 53_687_091_200,
          free_bytes: 26_843_545_600,
          needed_bytes: 3_221_225_472,
        },
      ],
    },
  ],
  backlog: { unfinalized_runs: 0, due_messages: 3, missed_scheduled_runs: 0, removals: 0 },
  disks: [
    {
      name: 'database',
      size_bytes: 107_374_182_400,
      free_bytes: 1_073_741_824,
      needed_bytes: 2_147_483_648,
    },
  ],
  database_bytes: 25_000_000_000,
  faults: [
    {
      host: 'bench-02',
      at: '2026-11-25T08:00:00Z',
      code: 'load_generator_died',
      cause: 'load_generator',
      stage: 'measuring',
      action: 'Look for the out-of-memory killer in the log of the kernel.',
    },
  ],
};
