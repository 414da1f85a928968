import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { ChangeOut, ChangePatch, ChangeStatus, ChangeRatio } from './schema';

export type { ChangePatch, ChangeStatus };
export type Change = ChangeOut;
export type Ratio = ChangeRatio;

/** A confirmation run may end at any time, so a change is refetched. */
const WATCH_MS = 5000;
const IDLE_MS = 30_000;

export const changeQueries = {
  one: (id: string) =>
    queryOptions({
      queryKey: ['changes', 'one', id],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/changes/{change_id}', {
            params: { path: { change_id: id } },
            signal,
          }),
        ),
      refetchInterval: (query) => (query.state.data?.status === 'testing' ? WATCH_MS : IDLE_MS),
    }),
};

export function useDecideChange(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: ChangePatch) =>
      unwrap(
        client.PATCH('/api/v1/changes/{change_id}', { params: { path: { change_id: id } }, body }),
      ),
    onSuccess: () =>
      Promise.all(
        [['changes'], ['home']].map((queryKey) => queries.invalidateQueries({ queryKey })),
      ),
  });
}
