/** The session of this browser: who is signed in, the permissions, and signing in and out. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Denial } from '@/lib/denial';
import { asDone, client, unwrap } from './client';
import type { Permission, Role, SessionOut, SignInRefusal, SignInStart } from './schema';

export type { Permission, Role, SignInRefusal };
export type Session = SessionOut;

export const sessionQueries = {
  current: () =>
    queryOptions({
      queryKey: ['session'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/session', { signal })),
      staleTime: 60_000,
      // Shows at once that another person has changed the role.
      refetchOnWindowFocus: 'always',
    }),
};

export type Credentials = { email: string; password: string } | { token: string };

/** Exchanges a password or the token for a session cookie, which scripts cannot read. */
export function useSignIn() {
  return useSessionChange((body: Credentials) => unwrap(client.POST('/api/v1/session', { body })));
}

/** Starts to sign in at the provider of the installation, and opens its page. */
export function useSingleSignOn() {
  return useMutation({
    mutationFn: (body: SignInStart) => unwrap(client.POST('/api/v1/session/oidc', { body })),
    onSuccess: ({ url }) => {
      globalThis.location.assign(url);
    },
  });
}

/** Shows another workspace in this browser. */
export function useSwitchWorkspace() {
  return useSessionChange((workspace: string) =>
    unwrap(client.PATCH('/api/v1/session', { body: { workspace } })),
  );
}

/** A request that returns the changed session. `watchSession` discards the data of the old one. */
export function useSessionChange<Asked>(change: (asked: Asked) => Promise<Session>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (session) => {
      queries.setQueryData(sessionQueries.current().queryKey, session);
    },
  });
}

export function useSignOut() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(client.DELETE('/api/v1/session').then(asDone)),
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
  const { data: session } = useQuery(sessionQueries.current());
  if (session === undefined) return { isAllowed: false, denial: null };
  const isAllowed = session.permissions.includes(permission);
  return { isAllowed, denial: isAllowed ? null : explain(session, permission) };
}

/** Return whether the caller has a permission. */
export function useMay(permission: Permission): boolean {
  return useAccess(permission).isAllowed;
}

/** Return whether there is a way to sign in. */
export function canSignIn({ sign_in }: Session): boolean {
  return sign_in.password || sign_in.token || sign_in.oidc !== null;
}

function explain(session: Session, permission: Permission): Denial {
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

function explainMissing({ workspace }: Session, permission: Permission): string {
  if (permission === 'operate') return 'Only operators of this installation can do this.';
  if (permission === 'account') return 'This needs an account. Ask an owner to invite you.';
  if (workspace === null) {
    return 'You are not a member of any workspace. Ask an owner of a workspace to invite you.';
  }
  return `Your role in ${workspace.name} is ${workspace.role}, which does not include this. An owner can change it.`;
}
