import type { QueryClient, QueryFunction, QueryKey } from '@tanstack/react-query';
import {
  type AnyRoute,
  createRootRouteWithContext,
  createRoute,
  Outlet,
  type RouteComponent,
  useLocation,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { NotFound } from '@/routes/NotFound';
import { Shell } from './Shell';

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

/** Adds header and footer to every page except embedded ones. */
function Frame(): ReactNode {
  const { pathname } = useLocation();
  return pathname.startsWith('/embed/') ? <Outlet /> : <Shell />;
}

/** Return the route of a page that needs no data before its code is loaded. */
export function page<TParent extends AnyRoute, const TPath extends string>(
  parent: TParent,
  path: TPath,
  component: RouteComponent,
) {
  return createRoute({ getParentRoute: () => parent, path, component });
}
