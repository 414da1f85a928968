import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { History, HistoryPoint, HistorySeries, Metric } from './schema';

export type { History, HistoryPoint, HistorySeries };

export interface HistoryQuery {
  framework: string;
  scenario: string;
  metric: Metric;
  host?: string;
}

export const historyQueries = {
  one: (query: HistoryQuery) =>
    queryOptions({
      queryKey: ['history', query],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/history', { params: { query }, signal })),
    }),
};
