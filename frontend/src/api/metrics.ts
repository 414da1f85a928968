import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { Metric, MetricOut } from './schema';

export type { Metric };
export type MetricInfo = MetricOut;

export const metricQueries = {
  list: () =>
    queryOptions({
      queryKey: ['metrics'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/metrics', { signal })),
      select: (page): MetricInfo[] => page.items,
      staleTime: Infinity,
    }),
};
