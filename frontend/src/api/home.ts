import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { Home, HostQueue, LatestResultOut, ScheduleState } from './schema';

export type { Home, HostQueue, ScheduleState };
export type LatestResult = LatestResultOut;

/** Hosts report their current activity, so the state is refetched every few seconds. */
const REFRESH_MS = 5000;

export const homeQueries = {
  state: () =>
    queryOptions({
      queryKey: ['home'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/home', { signal })),
      refetchInterval: REFRESH_MS,
    }),
};
