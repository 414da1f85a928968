import type { RunOutcome, RunSort, RunStatus } from '@/api/schema';
import { type Days, toTimes } from '@/lib/days';

/** Filters, order and page of the list of all runs, as in the URL. */
export interface RunSearch extends Days {
  framework?: string | undefined;
  scenario?: string | undefined;
  host?: string | undefined;
  requested_by?: string | undefined;
  status?: RunStatus | undefined;
  outcome?: RunOutcome | undefined;
  sort?: RunSort | undefined;
  cursor?: string | undefined;
}

const PAGE_LENGTH = 20;

/** Return the parameters of the API for a page of all runs. The URL may have others. */
export function toRunQuery(search: RunSearch) {
  const { sort, cursor } = search;
  return { ...filtersOf(search), sort, cursor, limit: PAGE_LENGTH };
}

/** Return whether the list leaves runs out. */
export function isFiltered(search: RunSearch): boolean {
  return Object.values(filtersOf(search)).some((value) => value !== undefined);
}

function filtersOf(search: RunSearch) {
  const { framework, scenario, host, requested_by, status, outcome } = search;
  return { framework, scenario, host, requested_by, status, outcome, ...toTimes(search) };
}
