import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { QueuedRun as QueuedRunOut, QueueOfHost as QueueOfHostOut } from './schema';

export type QueuedRun = QueuedRunOut;
export type QueueOfHost = QueueOfHostOut;

const REFRESH_MS = 4000;

export const queueQueries = {
  all: () =>
    queryOptions({
      // A cancelled run leaves the queue at once, because changes of runs invalidate this key.
      queryKey: ['runs', 'queue'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/queue', { signal })),
      refetchInterval: REFRESH_MS,
    }),
};
