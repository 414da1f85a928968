import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { ResultItem } from './schema';

export type { ResultItem };

export interface ResultFilter {
  framework?: string;
  scenario?: string;
  host?: string;
  run?: string;
}

const NEWEST_FEW = 20;

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
  /** The newest valid result among the newest few, else the newest; null if there is none. */
  newest: (filter: ResultFilter) =>
    queryOptions({
      queryKey: ['cells', 'newest', filter],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/cells', {
            params: { query: { ...filter, limit: NEWEST_FEW } },
            signal,
          }),
        ),
      select: ({ items }): ResultItem | null =>
        items.find(({ excluded }) => !excluded) ?? items[0] ?? null,
    }),
};
