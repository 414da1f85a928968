/** Requests of the pages of comparisons, which their loaders start too. */
import { keepPreviousData } from '@tanstack/react-query';
import { api } from '@/api/client';

export function comparisonQuery(cells: readonly string[], baseline: string | undefined) {
  return api.queryOptions(
    'get',
    '/api/v1/comparisons',
    { params: { query: { cells: [...cells], baseline } } },
    { placeholderData: keepPreviousData },
  );
}

export function comparisonChartsQuery(cells: readonly string[]) {
  return api.queryOptions(
    'get',
    '/api/v1/comparisons/charts',
    { params: { query: { cells: [...cells] } } },
    { placeholderData: keepPreviousData },
  );
}
