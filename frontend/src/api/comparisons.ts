import { queryOptions, useMutation } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type {
  CellChartsOut,
  ComparedResult,
  ComparisonCharts,
  ComparisonIn,
  ComparisonOut,
  DifferenceOut,
  PairOut,
  MetricRatioOut,
} from './schema';

export type Comparison = ComparisonOut;
export type Charts = ComparisonCharts;
export type CellCharts = CellChartsOut;
export type Compared = ComparedResult;
export type Difference = DifferenceOut;
export type Pair = PairOut;
export type Ratio = MetricRatioOut;

/** Results of finished runs change only when a run is deleted. */
const CALM = { staleTime: 60_000 } as const;

export const comparisonQueries = {
  /** Compares cells of any runs with the baseline. */
  live: (cells: readonly string[], baseline: string | undefined) =>
    queryOptions({
      queryKey: ['comparisons', 'live', cells, baseline ?? ''],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/comparisons', {
            params: { query: { cells: [...cells], ...(baseline && { baseline }) } },
            signal,
          }),
        ),
      placeholderData: (before) => before,
      ...CALM,
    }),
  charts: (cells: readonly string[]) =>
    queryOptions({
      queryKey: ['comparisons', 'charts', cells],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/comparisons/charts', {
            params: { query: { cells: [...cells] } },
            signal,
          }),
        ),
      placeholderData: (before) => before,
      ...CALM,
    }),
  /** A snapshot: a saved comparison, which never changes. */
  snapshot: (hash: string) =>
    queryOptions({
      queryKey: ['comparisons', 'snapshot', hash],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/comparisons/{comparison_hash}', {
            params: { path: { comparison_hash: hash } },
            signal,
          }),
        ),
      staleTime: Infinity,
    }),
};

export function useSaveSnapshot() {
  return useMutation({
    mutationFn: (body: ComparisonIn) => unwrap(client.POST('/api/v1/comparisons', { body })),
  });
}

/** Where a browser or a script fetches a snapshot. */
export function comparisonExportUrl(hash: string, format: 'json' | 'csv' | 'md'): string {
  return `/api/v1/comparisons/${hash}/export.${format}`;
}
