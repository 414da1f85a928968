import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { client, unwrap } from './client';
import { isFinished } from './runs';
import type { GroupRow as GroupRowOut, HostResult as HostResultOut, RunGroupOut } from './schema';

export type RunGroup = RunGroupOut;
export type GroupRow = GroupRowOut;
export type HostResult = HostResultOut;

const REFRESH_MS = 4000;

export const runGroupQueries = {
  one: (group: string) =>
    queryOptions({
      queryKey: ['runs', 'group', group],
      queryFn: ({ signal }) =>
        unwrap(client.GET('/api/v1/run-groups/{group}', { params: { path: { group } }, signal })),
      refetchInterval: (query) =>
        query.state.data?.runs.some((run) => !isFinished(run.status)) === true && REFRESH_MS,
    }),
};

/** Cancels the runs of a group that have not ended. */
export function useCancelRunGroup(group: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(client.POST('/api/v1/run-groups/{group}/cancel', { params: { path: { group } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['runs'] }),
  });
}
