/** Requests of the page of histories, which its loader starts too. */
import { api } from '@/api/client';
import type { Metric } from '@/api/schema';

const NEWEST_FEW = 20;

/** The series, as parameters of the API. */
export interface HistoryQuery {
  framework: string[];
  scenario: string;
  metric?: Metric | undefined;
  /** Key of a load, or `all`. Default: the load with the most valid results. */
  load?: string | undefined;
  host?: string | undefined;
}

/** The series of the URL, which may be incomplete. */
export type HistorySearch = Partial<HistoryQuery>;

export function historyQuery(query: HistoryQuery) {
  return api.queryOptions('get', '/api/v1/history', { params: { query } });
}

/** The newest result, valid if possible; null without results. It completes the URL. */
export function newestQuery({ framework, scenario, host }: HistorySearch) {
  return api.queryOptions(
    'get',
    '/api/v1/cells',
    { params: { query: { framework: framework?.[0], scenario, host, limit: NEWEST_FEW } } },
    { select: ({ items }) => items.find(({ excluded }) => !excluded) ?? items[0] ?? null },
  );
}

/** Return whether the URL names frameworks and scenario. */
export function isComplete(search: HistorySearch): search is HistoryQuery {
  return search.framework !== undefined && search.scenario !== undefined;
}

/** Return what the page begins with, and what its filters offer. */
export function historyQueries(search: HistorySearch) {
  return [
    isComplete(search) ? historyQuery(search) : newestQuery(search),
    api.queryOptions('get', '/api/v1/frameworks'),
    api.queryOptions('get', '/api/v1/scenarios'),
    api.queryOptions('get', '/api/v1/metrics'),
  ];
}
