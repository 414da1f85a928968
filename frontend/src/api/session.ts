/** The session of this browser: who is signed in, the permissions, and signing in and out. */
import { useQueryClient } from '@tanstack/react-query';
import type { Denial } from '@/lib/denial';
import { api, LEAVES } from './client';
import type { Permission, SessionOut } from './schema';

/** Options of a change that returns the new session. `watchSession` discards the data of the old one. */
export function useNewSession() {
  const queries = useQueryClient();
  return {
    ...LEAVES,
    onSuccess: (session: SessionOut) => {
      queries.setQueryData(api.queryOptions('get', '/api/v1/session').queryKey, session);
    },
  };
}

export function useSignOut() {
  const queries = useQueryClient();
  return api.useMutation('delete', '/api/v1/session', {
    ...LEAVES,
    // Removes data from the page that only members may see.
    onSuccess: () => queries.resetQueries(),
  });
}

/** Whether the caller may do something. */
export interface Access {
  isAllowed: boolean;
  /** Why not; null while the session is loading. */
  denial: Denial | null;
}

/** Return whether the caller has a permission. Until the session is loaded, nothing is allowed. */
export function useAccess(permission: Permission): Access {
  const { data: session } = api.useQuery('get', '/api/v1/session');
  if (session === undefined) return { isAllowed: false, denial: null };
  const isAllowed = session.permissions.includes(permission);
  return { isAllowed, denial: isAllowed ? null : explain(session, permission) };
}

/** Return whether the caller has a permission. */
export function useMay(permission: Permission): boolean {
  return useAccess(permission).isAllowed;
}

/** Return whether there is a way to sign in. */
export function canSignIn({ sign_in }: SessionOut): boolean {
  return sign_in.password || sign_in.token || sign_in.oidc !== null;
}

function explain(session: SessionOut, permission: Permission): Denial {
  if (session.proof === null) {
    return {
      reason: canSignIn(session)
        ? 'You are not signed in.'
        : (session.detail ?? 'This installation is closed to visitors.'),
      canSignIn: canSignIn(session),
    };
  }
  return { reason: explainMissing(session, permission), canSignIn: false };
}

function explainMissing({ workspace }: SessionOut, permission: Permission): string {
  if (permission === 'operate') return 'Only operators of this installation can do this.';
  if (permission === 'account') return 'This needs an account. Ask an owner to invite you.';
  if (workspace === null) {
    return 'You are not a member of any workspace. Ask an owner of a workspace to invite you.';
  }
  return `Your role in ${workspace.name} is ${workspace.role}, which does not include this. An owner can change it.`;
}
