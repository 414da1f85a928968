/** Limits of the caller and of the workspace. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { LimitOut } from './schema';

export type Limit = LimitOut;

export const limitQueries = {
  list: () =>
    queryOptions({
      queryKey: ['limits'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/limits', { signal })),
      select: (page): Limit[] => page.items,
      refetchInterval: 10_000,
    }),
};
