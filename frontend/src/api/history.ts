import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type {
  DetectorTest,
  HistoryAnswerOut,
  HistoryOut,
  HistoryChange,
  HistoryEvent,
  HistoryPoint,
  HistorySeries,
  Metric,
} from './schema';

export type History = HistoryOut;
export type HistoryAnswer = HistoryAnswerOut;
export type { DetectorTest, HistoryChange, HistoryEvent, HistoryPoint, HistorySeries };

export interface HistoryQuery {
  framework: string[];
  scenario: string;
  /** Default: the main metric of the newest result's load. */
  metric?: Metric;
  /** Key of a load, or `all`. Default: the load with the most valid results. */
  load?: string;
  host?: string;
}

export const historyQueries = {
  one: (query: HistoryQuery) =>
    queryOptions({
      queryKey: ['history', query],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/history', { params: { query }, signal })),
    }),
  /** Only the change points, at a given sensitivity. The previous data stays until the next arrives. */
  changes: (query: HistoryQuery, pValue: number) =>
    queryOptions({
      queryKey: ['history', query, 'changes', pValue],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/history/changes', {
            params: { query: { ...query, p_value: pValue } },
            signal,
          }),
        ),
      placeholderData: keepPreviousData,
      staleTime: 60_000,
    }),
  selfTest: (query: HistoryQuery, pValue: number) =>
    queryOptions({
      queryKey: ['history', query, 'self-test', pValue],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/history/self-test', {
            params: { query: { ...query, p_value: pValue } },
            signal,
          }),
        ),
      placeholderData: keepPreviousData,
      staleTime: 60_000,
    }),
};
