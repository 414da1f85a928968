/** Documents as the API returns them, for component tests. */
import type { DocumentAt } from '@/testing/api';
import { page } from './builders';

export const members: DocumentAt<'/api/v1/members'> = page(
  {
    user_id: '01981c2e-4a7b-7c3d-9e10-00000000000a',
    email: 'ada@example.org',
    name: 'Ada Lovelace',
    role: 'owner',
    created_at: '2026-11-01T08:00:00Z',
  },
  {
    user_id: '01981c2e-4a7b-7c3d-9e10-00000000000b',
    email: 'bo@example.org',
    name: 'Bo Diaz',
    role: 'viewer',
    created_at: '2026-11-20T08:00:00Z',
  },
);

export const invitations: DocumentAt<'/api/v1/invitations'> = page({
  id: '01981c2e-4a7b-7c3d-9e10-0000000000c1',
  email: 'cy@example.org',
  role: 'member',
  created_at: '2026-11-22T08:00:00Z',
  expires_at: '2026-11-29T08:00:00Z',
  created_by: 'ada@example.org',
});

export const tokens: DocumentAt<'/api/v1/tokens'> = page(
  {
    id: '01981c2e-4a7b-7c3d-9e10-0000000000d1',
    name: 'Laptop',
    prefix: 'tacho_Zk3vQ9',
    scope: 'run',
    owner: 'me',
    hosts: null,
    frameworks: ['node'],
    services: null,
    created_at: '2026-11-01T08:00:00Z',
    expires_at: null,
    revoked_at: null,
    last_used_at: '2026-11-22T08:00:00Z',
    last_address: '203.0.113.5',
  },
  {
    id: '01981c2e-4a7b-7c3d-9e10-0000000000d2',
    name: 'Nightly CI',
    prefix: 'tacho_a81Xyz',
    scope: 'manage',
    owner: 'workspace',
    hosts: ['bench-01'],
    frameworks: null,
    services: null,
    created_at: '2026-11-01T08:00:00Z',
    expires_at: '2027-11-01T08:00:00Z',
    revoked_at: null,
    last_used_at: null,
    last_address: null,
  },
);

export const identities: DocumentAt<'/api/v1/account/identities'> = {
  items: [
    {
      issuer: 'https://login.example.org',
      subject: '248289761001',
      created_at: '2026-11-20T08:00:00Z',
    },
  ],
};

export const browsers: DocumentAt<'/api/v1/account/sessions'> = page(
  {
    id: '01981c2e-4a7b-7c3d-9e10-0000000000e1',
    is_current: true,
    address: '203.0.113.5',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    created_at: '2026-11-20T08:00:00Z',
    last_seen_at: '2026-11-23T08:00:00Z',
    expires_at: '2026-12-20T08:00:00Z',
  },
  {
    id: '01981c2e-4a7b-7c3d-9e10-0000000000e2',
    is_current: false,
    address: '198.51.100.7',
    user_agent: 'curl/8.5.0',
    created_at: '2026-11-20T08:00:00Z',
    last_seen_at: '2026-11-22T08:00:00Z',
    expires_at: '2026-12-20T08:00:00Z',
  },
);

export const audit: DocumentAt<'/api/v1/audit'> = page({
  id: '01981c2e-4a7b-7c3d-9e10-0000000000f1',
  at: '2026-11-22T08:00:00Z',
  actor: 'ada@example.org',
  address: '203.0.113.5',
  action: 'member.changed',
  subject_type: 'member',
  subject_id: '01981c2e-4a7b-7c3d-9e10-00000000000b',
  before: { email: 'bo@example.org', role: 'viewer' },
  after: { email: 'bo@example.org', role: 'member' },
});

export const users: DocumentAt<'/api/v1/users'> = page(
  {
    id: '01981c2e-4a7b-7c3d-9e10-00000000000a',
    email: 'ada@example.org',
    name: 'Ada Lovelace',
    is_operator: true,
    created_at: '2026-11-01T08:00:00Z',
    disabled_at: null,
    last_seen_at: '2026-11-23T08:00:00Z',
    roles: [{ workspace: 'main', role: 'owner' }],
  },
  {
    id: '01981c2e-4a7b-7c3d-9e10-00000000000b',
    email: 'bo@example.org',
    name: 'Bo Diaz',
    is_operator: false,
    created_at: '2026-11-20T08:00:00Z',
    disabled_at: null,
    last_seen_at: null,
    roles: [{ workspace: 'main', role: 'viewer' }],
  },
);

export const workspaces: DocumentAt<'/api/v1/workspaces'> = page(
  {
    id: '01981c2e-4a7b-7c3d-9e10-000000000001',
    slug: 'main',
    name: 'Main',
    created_at: '2026-11-01T08:00:00Z',
    members: 2,
    max_queued_trials: null,
    max_bench_minutes: null,
    runs: 41,
  },
  {
    id: '01981c2e-4a7b-7c3d-9e10-000000000002',
    slug: 'payments',
    name: 'Payments',
    created_at: '2026-11-10T08:00:00Z',
    members: 1,
    max_queued_trials: 500,
    max_bench_minutes: 0,
    runs: 0,
  },
);

export const installationRetention: DocumentAt<'/api/v1/retention/installation'> = {
  seconds_days: 90,
  logs_days: null,
};

export const retention: DocumentAt<'/api/v1/retention'> = {
  installation: installationRetention,
  workspace: { seconds_days: 30, logs_days: null },
  effective: { seconds_days: 30, logs_days: null },
};

export const limits: DocumentAt<'/api/v1/limits'> = page(
  { name: 'requests', limit: 1200, used: 37 },
  { name: 'streams', limit: 100, used: 1 },
  { name: 'queued_trials', limit: 500, used: 460 },
  { name: 'bench_minutes', limit: null, used: 81.5 },
);
