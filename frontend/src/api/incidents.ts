import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import type { ChangeStatus } from './changes';
import { client, unwrap } from './client';
import type {
  FileDifferenceOut,
  IncidentItem,
  IncidentOut,
  IncidentPatch,
  ProgramDifferenceOut,
  ShiftOut,
} from './schema';

export type { IncidentItem };
export type Incident = IncidentOut;
export type Shift = ShiftOut;
export type ProgramDifference = ProgramDifferenceOut;
export type FileDifference = FileDifferenceOut;

export interface IncidentFilter {
  status?: ChangeStatus;
  open?: boolean;
}

/** A confirmation run may end at any time, so incidents are refetched. */
const WATCH_MS = 4000;
const IDLE_MS = 30_000;
/** Every page shows this count. */
const COUNT_MS = 60_000;

/** Below `changes`, so that a decision about a change refreshes incidents, too. */
const KEY = ['changes', 'incidents'] as const;

export const incidentQueries = {
  pages: (filter: IncidentFilter, limit: number) =>
    infiniteQueryOptions({
      queryKey: [...KEY, 'pages', filter, limit],
      queryFn: ({ signal, pageParam }) =>
        unwrap(
          client.GET('/api/v1/incidents', {
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
      queryKey: [...KEY, 'one', id],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/incidents/{incident_id}', {
            params: { path: { incident_id: id } },
            signal,
          }),
        ),
      refetchInterval: (query) => (query.state.data?.status === 'testing' ? WATCH_MS : IDLE_MS),
    }),
  counts: () =>
    queryOptions({
      queryKey: [...KEY, 'counts'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/incident-counts', { signal })),
      refetchInterval: IDLE_MS,
    }),
  open: () =>
    queryOptions({
      queryKey: [...KEY, 'open'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/open-incidents', { signal })),
      select: (count): number => count.open,
      staleTime: COUNT_MS / 2,
      refetchInterval: COUNT_MS,
    }),
};

export function useDecideIncident(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: IncidentPatch) =>
      unwrap(
        client.PATCH('/api/v1/incidents/{incident_id}', {
          params: { path: { incident_id: id } },
          body,
        }),
      ),
    onSuccess: () =>
      Promise.all(
        [['changes'], ['home']].map((queryKey) => queries.invalidateQueries({ queryKey })),
      ),
  });
}
