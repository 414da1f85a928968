import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { VerdictInfo } from './schema';

export type { VerdictInfo };

export const verdictQueries = {
  list: () =>
    queryOptions({
      queryKey: ['verdicts'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/verdicts', { signal })),
      select: (page): VerdictInfo[] => page.items,
      staleTime: Infinity,
    }),
};
