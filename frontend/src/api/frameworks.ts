import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { FrameworkOut } from './schema';

export type Framework = FrameworkOut;

export const frameworkQueries = {
  list: () =>
    queryOptions({
      queryKey: ['frameworks'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/frameworks', { signal })),
      select: (page): Framework[] => page.items,
    }),
  one: (slug: string) =>
    queryOptions({
      queryKey: ['frameworks', slug],
      queryFn: ({ signal }) =>
        unwrap(client.GET('/api/v1/frameworks/{slug}', { params: { path: { slug } }, signal })),
    }),
};
