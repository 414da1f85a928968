import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { FrameworkOut, LatestResult } from './schema';

export type Framework = FrameworkOut;
export type { LatestResult };

export const frameworkQueries = {
  list: () =>
    queryOptions({
      queryKey: ['frameworks'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/frameworks', { signal })),
      select: (page): Framework[] => page.items,
    }),
  results: (slug: string) =>
    queryOptions({
      queryKey: ['frameworks', slug, 'results'],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/frameworks/{slug}/results', { params: { path: { slug } }, signal }),
        ),
      select: (page): LatestResult[] => page.items,
    }),
  one: (slug: string) =>
    queryOptions({
      queryKey: ['frameworks', slug],
      queryFn: ({ signal }) =>
        unwrap(client.GET('/api/v1/frameworks/{slug}', { params: { path: { slug } }, signal })),
    }),
};
