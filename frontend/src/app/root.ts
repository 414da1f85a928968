import type { QueryClient, QueryFunction, QueryKey } from '@tanstack/react-query';
import { createRootRouteWithContext } from '@tanstack/react-router';
import { NotFound } from '@/routes/NotFound';
import { Frame } from './Frame';

interface Loadable {
  queryKey: QueryKey;
  queryFn: QueryFunction<unknown, never>;
}

export interface RouterContext {
  /**
   * Starts to fetch what is missing or outdated. Loaders call it and do not wait, because pages
   * draw how they wait and fail.
   */
  load: (...queries: readonly Loadable[]) => void;
}

/** Return what loaders get. */
export function contextOf(client: QueryClient): RouterContext {
  return {
    load: (...queries) => {
      for (const { queryKey, queryFn } of queries) {
        client.query({ queryKey, queryFn: queryFn as QueryFunction }).catch(() => undefined);
      }
    },
  };
}

/** The route that contains all others. */
export const root = createRootRouteWithContext<RouterContext>()({
  component: Frame,
  notFoundComponent: NotFound,
});
