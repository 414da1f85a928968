/** Documents as the API returns them, for component tests. */
import type { DocumentAt } from '@/testing/api';

export const hosts: DocumentAt<'/api/v1/hosts'> = {
  items: [
    {
      id: '01a2062f-07fd-7692-b811-c832b8c950ba',
      name: 'bench-01',
      state: 'busy',
      status: 'ready',
      has_key: true,
      runtime: 'process',
      runtime_reason: '',
      isolation: 'namespaces',
      uses_host_network_for_builds: false,
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
      seen_at: '2026-11-23T02:14:35.256741Z',
      calibration: null,
    },
  ],
  next: null,
};

export const host: DocumentAt<'/api/v1/hosts/{name}'> = {
  id: '01a2062f-07fd-7692-b811-c832b8c950ba',
  name: 'bench-01',
  state: 'busy',
  status: 'ready',
  has_key: true,
  runtime: 'process',
  runtime_reason: '',
  isolation: 'namespaces',
  uses_host_network_for_builds: false,
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
  seen_at: '2026-11-23T02:14:35.256741Z',
  calibration: null,
};

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
  version: '0.1.0',
  statistics_version: 1,
  detail: null,
};
