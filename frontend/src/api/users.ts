/** Users of the installation, for operators. */
import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { ResetLinkOut, UserOut, UserPatch } from './schema';

export type User = UserOut;
export type ResetLink = ResetLinkOut;

const PAGE = 50;

export const userQueries = {
  pages: (search: string) =>
    infiniteQueryOptions({
      queryKey: ['users', search],
      queryFn: ({ signal, pageParam }) =>
        unwrap(
          client.GET('/api/v1/users', {
            params: {
              query: {
                limit: PAGE,
                ...(search !== '' && { search }),
                ...(pageParam && { cursor: pageParam }),
              },
            },
            signal,
          }),
        ),
      initialPageParam: '',
      getNextPageParam: (page) => page.next,
    }),
};

export function useChangeUser(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: UserPatch) =>
      unwrap(client.PATCH('/api/v1/users/{user_id}', { ...at(id), body })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['users'] }),
  });
}

export function useResetPassword(id: string) {
  return useMutation({
    mutationFn: () => unwrap(client.POST('/api/v1/users/{user_id}/password-reset', at(id))),
  });
}

function at(id: string) {
  return { params: { path: { user_id: id } } };
}
