import { infiniteQueryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { ResultItem } from './schema';

export type { ResultItem };

export interface ResultFilter {
  framework?: string;
  scenario?: string;
  host?: string;
  run?: string;
}

export const cellQueries = {
  /** Results to choose from, newest first. */
  pages: (filter: ResultFilter, limit: number) =>
    infiniteQueryOptions({
      queryKey: ['cells', 'pages', filter, limit],
      queryFn: ({ signal, pageParam }) =>
        unwrap(
          client.GET('/api/v1/cells', {
            params: { query: { ...filter, limit, ...(pageParam && { cursor: pageParam }) } },
            signal,
          }),
        ),
      initialPageParam: '',
      getNextPageParam: (page) => page.next,
    }),
};
