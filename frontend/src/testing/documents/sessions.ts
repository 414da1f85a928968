/** Documents as the API returns them, for component tests. */
import type { DocumentAt } from '@/testing/api';

export type SessionDocument = DocumentAt<'/api/v1/session'>;
type Workspace = SessionDocument['workspaces'][number];
type Role = Workspace['role'];

export const main: Workspace = {
  id: '01981c2e-4a7b-7c3d-9e10-000000000001',
  slug: 'main',
  name: 'Main',
  role: 'owner',
};

export const payments: Workspace = {
  id: '01981c2e-4a7b-7c3d-9e10-000000000002',
  slug: 'payments',
  name: 'Payments',
  role: 'member',
};

const USER = {
  id: '01981c2e-4a7b-7c3d-9e10-00000000000a',
  email: 'ada@example.org',
  name: 'Ada Lovelace',
  is_operator: false,
};

/** The user of this machine, without any account. */
export const localOwner: SessionDocument = {
  permissions: ['open', 'view', 'run', 'manage', 'own', 'monitor', 'operate'],
  proof: 'loopback',
  detail: null,
  is_single_user: true,
  sign_in: { password: false, token: false, reset: false, oidc: null },
  user: null,
  workspace: main,
  workspaces: [main],
};

/** An anonymous visitor of an installation with accounts. */
export const visitor: SessionDocument = {
  permissions: ['open'],
  proof: null,
  detail: 'Sign in with your e-mail address and password.',
  is_single_user: false,
  sign_in: { password: true, token: false, reset: false, oidc: null },
  user: null,
  workspace: null,
  workspaces: [],
};

const PERMISSIONS: Record<Role, SessionDocument['permissions']> = {
  viewer: ['open', 'view', 'account'],
  member: ['open', 'view', 'run', 'account'],
  maintainer: ['open', 'view', 'run', 'manage', 'account'],
  owner: ['open', 'view', 'run', 'manage', 'own', 'account'],
};

/** Return the session of Ada with a role in the workspace Main. */
export function signedInAs(role: Role, others: readonly Workspace[] = []): SessionDocument {
  const workspace = { ...main, role };
  return {
    permissions: PERMISSIONS[role],
    proof: 'session',
    detail: null,
    is_single_user: false,
    sign_in: { password: true, token: false, reset: false, oidc: null },
    user: USER,
    workspace,
    workspaces: [workspace, ...others],
  };
}

/** Return the session of Ada as an operator who owns the workspace Main. */
export function operator(): SessionDocument {
  const session = signedInAs('owner');
  return {
    ...session,
    permissions: [...session.permissions, 'operate'],
    user: { ...USER, is_operator: true },
  };
}
