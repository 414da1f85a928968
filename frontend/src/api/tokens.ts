/** Access tokens of the caller and of the workspace. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { asDone, client, unwrap } from './client';
import type { NewTokenOut, TokenIn, TokenOut, TokenScope } from './schema';

export type AccessToken = TokenOut;
export type NewAccessToken = NewTokenOut;
export type TokenOwner = TokenOut['owner'];
export type Scope = TokenScope;

/** The meaning of each scope, from the fewest permissions to the most. */
export const SCOPES: readonly { scope: Scope; name: string; meaning: string }[] = [
  { scope: 'read', name: 'Read', meaning: 'Reads runs, histories and changes.' },
  { scope: 'run', name: 'Run', meaning: 'Also starts runs, and decides about changes.' },
  {
    scope: 'manage',
    name: 'Manage',
    meaning:
      'Also manages schedules, webhooks and limits, changes the visibility of runs, and archives and deletes runs.',
  },
];

export const tokenQueries = {
  list: () =>
    queryOptions({
      queryKey: ['tokens'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/tokens', { signal })),
      select: (page): AccessToken[] => page.items,
    }),
};

export function useCreateToken() {
  return useTokenChange((body: TokenIn) => unwrap(client.POST('/api/v1/tokens', { body })));
}

export function useRevokeToken() {
  return useTokenChange((id: string) =>
    unwrap(
      client
        .DELETE('/api/v1/tokens/{token_id}', { params: { path: { token_id: id } } })
        .then(asDone),
    ),
  );
}

function useTokenChange<Asked, Answered>(ask: (asked: Asked) => Promise<Answered>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ask,
    onSettled: () => queries.invalidateQueries({ queryKey: ['tokens'] }),
  });
}
