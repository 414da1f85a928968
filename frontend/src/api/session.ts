/** The session of this browser: its permissions, signing in and out. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { client, unwrap } from './client';

export const sessionQueries = {
  current: () =>
    queryOptions({
      queryKey: ['session'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/session', { signal })),
      staleTime: 60_000,
    }),
};

/** Exchanges the token for a session cookie, which scripts cannot read. */
export function useSignIn() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (token: string) => unwrap(client.POST('/api/v1/session', { body: { token } })),
    onSuccess: (session) => {
      queries.setQueryData(sessionQueries.current().queryKey, session);
      return queries.invalidateQueries();
    },
  });
}

export function useSignOut() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(
        client
          .DELETE('/api/v1/session')
          .then((answer) => (answer.response.ok ? { ...answer, data: true as const } : answer)),
      ),
    // Removes data from the page that only members may see.
    onSuccess: () => queries.resetQueries(),
  });
}
