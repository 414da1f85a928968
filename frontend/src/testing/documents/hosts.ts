/** Documents as the API returns them, for component tests. */
import type { DocumentAt } from '@/testing/api';

export const hosts: DocumentAt<'/api/v1/hosts'> = {
  items: [
    {
      id: '01a2062f-07fd-7692-b811-c832b8c950ba',
      name: 'bench-01',
      state: 'busy',
      runtime: 'process',
      runtime_reason: '',
      bases: null,
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
  runtime: 'process',
  runtime_reason: '',
  bases: null,
  queued_trials: 1,
  current_run_id: '01a2062f-1132-707c-9470-33f3fbc4477b',
  fingerprint: { cores: 4, cpu_model: 'Test CPU' },
  fingerprint_digest: 'digest of bench-01',
  cpus: null,
  unavailable: {},
  seen_at: '2026-11-23T02:14:35.256741Z',
  calibration: null,
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
