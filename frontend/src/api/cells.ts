import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { ListedResult, ResultItem } from './schema';

export type { ListedResult, ResultItem };

export interface ResultFilter {
  framework?: string;
  scenario?: string;
  host?: string;
  /** Words of framework names and run titles, or the slug of a run. */
  search?: string;
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
      select: ({ items }): ListedResult | null =>
        items.find(({ excluded }) => !excluded) ?? items[0] ?? null,
    }),
};
