import { useQueries } from '@tanstack/react-query';
import { api } from '@/api/client';
import type { HistorySeries, HostOut } from '@/api/schema';

/** Return the loaded hosts of these series; the same object until a host changes. */
export function useHosts(series: readonly HistorySeries[]) {
  const names = [...new Set(series.map((series) => series.host))];
  const queries = names.map((name) =>
    api.queryOptions(
      'get',
      '/api/v1/hosts/{name}',
      { params: { path: { name } } },
      { refetchInterval: false },
    ),
  );
  return useQueries({ queries, combine: listKnown });
}

function listKnown(answers: readonly { data: HostOut | undefined; isFetched: boolean }[]) {
  return {
    hosts: answers.flatMap(({ data }) => (data ? [data] : [])),
    areFetched: answers.every(({ isFetched }) => isFetched),
  };
}
