import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { client, unwrap } from './client';
import type {
  ChangeOut,
  ChangePatch,
  ChangePointOut,
  ChangeStatus,
  HostEventOut,
  ChangeRatio,
} from './schema';

export type { ChangePatch, ChangeStatus };
export type Change = ChangeOut;
export type ChangePoint = ChangePointOut;
export type HostEvent = HostEventOut;
export type Ratio = ChangeRatio;

export interface ChangeFilter {
  status?: ChangeStatus;
  framework?: string;
  scenario?: string;
}

/** A confirmation run may end at any time, so lists are refetched. */
const WATCH_MS = 5000;
const IDLE_MS = 30_000;

export const changeQueries = {
  pages: (filter: ChangeFilter, limit: number) =>
    infiniteQueryOptions({
      queryKey: ['changes', 'pages', filter, limit],
      queryFn: ({ signal, pageParam }) =>
        unwrap(
          client.GET('/api/v1/changes', {
            params: { query: { ...filter, limit, ...(pageParam && { cursor: pageParam }) } },
            signal,
          }),
        ),
      initialPageParam: '',
      getNextPageParam: (page) => page.next,
      refetchInterval: (query) =>
        query.state.data?.pages.some((page) => page.items.some((item) => item.status === 'testing'))
          ? WATCH_MS
          : IDLE_MS,
    }),
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
  counts: () =>
    queryOptions({
      queryKey: ['changes', 'counts'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/change-counts', { signal })),
      refetchInterval: IDLE_MS,
    }),
  hostEvents: () =>
    queryOptions({
      queryKey: ['changes', 'host-events'],
      queryFn: async ({ signal }) =>
        (await unwrap(client.GET('/api/v1/host-events', { signal }))).items,
    }),
};

export function useDecideChange(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: ChangePatch) =>
      unwrap(
        client.PATCH('/api/v1/changes/{change_id}', { params: { path: { change_id: id } }, body }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['changes'] }),
  });
}
