/** The router of an exported file: one page, kept in memory; all other links lead to Tacho. */
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
} from '@tanstack/react-router';
import { installationOrigin } from '@/lib/installation';
import { parseSearch, stringifySearch } from '@/lib/search';
import { RouteError } from '@/routes/RouteError';
import { runSearch } from '@/routes/search';
import { ExportedRun } from './ExportedRun';

export function createExportRouter(permalink: string) {
  const root = createRootRoute();
  const page = createRoute({
    getParentRoute: () => root,
    path: '/r/$run',
    validateSearch: runSearch,
    component: ExportedRun,
  });
  return createRouter({
    routeTree: root.addChildren([page]),
    history: createMemoryHistory({ initialEntries: [permalink] }),
    rewrite: {
      output: ({ url }) =>
        url.pathname === permalink
          ? url
          : new URL(url.pathname + url.search + url.hash, installationOrigin()),
    },
    parseSearch,
    stringifySearch,
    defaultErrorComponent: RouteError,
  });
}
