/** The account of the person who is signed in. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { asDone, client, unwrap } from './client';
import type { AccountPatch, BrowserSessionOut, IdentityOut, PasswordIn } from './schema';
import { sessionQueries } from './session';

export type SignedInBrowser = BrowserSessionOut;
export type Identity = IdentityOut;

const SESSIONS = ['account', 'sessions'];

export const accountQueries = {
  identities: () =>
    queryOptions({
      queryKey: ['account', 'identities'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/account/identities', { signal })),
      select: (page): Identity[] => page.items,
    }),
  sessions: () =>
    queryOptions({
      queryKey: SESSIONS,
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/account/sessions', { signal })),
      select: (page): SignedInBrowser[] => page.items,
    }),
};

export function useChangeAccount() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: AccountPatch) => unwrap(client.PATCH('/api/v1/account', { body })),
    onSuccess: () => queries.invalidateQueries(sessionQueries.current()),
  });
}

/** Changes the password and ends all other sessions. */
export function useChangePassword() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: PasswordIn) =>
      unwrap(client.PUT('/api/v1/account/password', { body }).then(asDone)),
    onSuccess: () => queries.invalidateQueries({ queryKey: SESSIONS }),
  });
}

/** Signs out other browsers, by the ids of their sessions. */
export function useEndSessions() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (ids: readonly string[]) => {
      for (const id of ids) {
        await unwrap(
          client
            .DELETE('/api/v1/account/sessions/{session_id}', {
              params: { path: { session_id: id } },
            })
            .then(asDone),
        );
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: SESSIONS }),
  });
}
