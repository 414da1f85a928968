import type { QueryClient } from '@tanstack/react-query';
import {
  createRoute,
  createRouter,
  lazyRouteComponent as lazy,
  redirect,
  type RouterHistory,
} from '@tanstack/react-router';
import { api } from '@/api/client';
import { comparisonChartsQuery, comparisonQuery } from '@/features/compare/query';
import { guardedServicesQuery, guardQuery } from '@/features/guards/query';
import { historyQueries } from '@/features/history/query';
import { changeQuery, incidentQuery } from '@/features/incidents/query';
import { leaderboardParameters, leaderboardQuery } from '@/features/leaderboard/query';
import { answerQuery, rankingQuery, runQuery } from '@/features/run-result/query';
import { parseSearch, stringifySearch } from '@/lib/search';
import { RouteError } from '@/routes/RouteError';
import {
  changesSearch,
  chooseSearch,
  compareSearch,
  guardsSearch,
  historySearch,
  incidentSearch,
  leaderboardSearch,
  newRunSearch,
  newScheduleSearch,
  runsSearch,
  runSearch,
  snapshotSearch,
} from '@/routes/search';
import { catalogueRoutes } from './catalogue-routes';
import { contextOf, page, root } from './root';
import { teamRoutes } from './team-routes';

const METRICS = api.queryOptions('get', '/api/v1/metrics');
const SCENARIOS = api.queryOptions('get', '/api/v1/scenarios');

const overview = page(
  root,
  '/',
  lazy(() => import('@/routes/Overview'), 'Overview'),
);
const runsPage = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: runsSearch,
  component: lazy(() => import('@/routes/RunsPage'), 'RunsPage'),
});
const newRun = createRoute({
  getParentRoute: () => root,
  path: '/runs/new',
  validateSearch: newRunSearch,
  component: lazy(() => import('@/routes/NewRun'), 'NewRun'),
});
const runPage = createRoute({
  getParentRoute: () => root,
  path: '/r/$run',
  validateSearch: runSearch,
  loaderDeps: ({ search: { metric, baseline } }) => ({ metric, baseline }),
  loader: ({ context, params: { run }, deps }) =>
    context.load(runQuery(run), answerQuery(run), rankingQuery(run, deps), METRICS),
  component: lazy(() => import('@/routes/RunPage'), 'RunPage'),
});
/** Earlier versions had a second page of a run. */
const earlierRunPage = createRoute({
  getParentRoute: () => root,
  path: '/runs/$run',
  validateSearch: runSearch,
  beforeLoad: ({ params, search }) =>
    redirect({ to: '/r/$run', params, search, replace: true, throw: true }),
});
const runGroupPage = page(
  root,
  '/g/$group',
  lazy(() => import('@/routes/RunGroupPage'), 'RunGroupPage'),
);
const queuePage = page(
  root,
  '/queue',
  lazy(() => import('@/routes/QueuePage'), 'QueuePage'),
);
const embedRun = createRoute({
  getParentRoute: () => root,
  path: '/embed/r/$run/$figure',
  validateSearch: runSearch,
  loader: ({ context, params }) => context.load(runQuery(params.run)),
  component: lazy(() => import('@/routes/EmbedRun'), 'EmbedRun'),
});
const historyPage = createRoute({
  getParentRoute: () => root,
  path: '/history',
  validateSearch: historySearch,
  loaderDeps: ({ search: { framework, scenario, metric, load, host } }) => ({
    framework,
    scenario,
    metric,
    load,
    host,
  }),
  loader: ({ context, deps }) => context.load(...historyQueries(deps)),
  component: lazy(() => import('@/routes/HistoryPage'), 'HistoryPage'),
});
const changesPage = createRoute({
  getParentRoute: () => root,
  path: '/changes',
  validateSearch: changesSearch,
  component: lazy(() => import('@/routes/ChangesPage'), 'ChangesPage'),
});
const sloPage = page(
  root,
  '/limits',
  lazy(() => import('@/routes/SloPage'), 'SloPage'),
);
const guardsPage = createRoute({
  getParentRoute: () => root,
  path: '/guards',
  validateSearch: guardsSearch,
  loader: ({ context }) => context.load(guardedServicesQuery()),
  component: lazy(() => import('@/routes/GuardsPage'), 'GuardsPage'),
});
const guardPage = createRoute({
  getParentRoute: () => root,
  path: '/guards/$slug',
  loader: ({ context, params: { slug } }) => context.load(guardQuery(slug), METRICS),
  component: lazy(() => import('@/routes/GuardPage'), 'GuardPage'),
});
const changePage = createRoute({
  getParentRoute: () => root,
  path: '/changes/$id',
  loader: ({ context, params: { id } }) => context.load(changeQuery(id)),
  component: lazy(() => import('@/routes/ChangePage'), 'ChangePage'),
});
const incidentPage = createRoute({
  getParentRoute: () => root,
  path: '/incidents/$id',
  validateSearch: incidentSearch,
  loader: ({ context, params: { id } }) => context.load(incidentQuery(id)),
  component: lazy(() => import('@/routes/IncidentPage'), 'IncidentPage'),
});
const choosePage = createRoute({
  getParentRoute: () => root,
  path: '/choose',
  validateSearch: chooseSearch,
  component: lazy(() => import('@/routes/ChoosePage'), 'ChoosePage'),
});
const comparePage = createRoute({
  getParentRoute: () => root,
  path: '/compare',
  validateSearch: compareSearch,
  loaderDeps: ({ search: { cells, baseline } }) => ({ cells, baseline }),
  loader: ({ context, deps: { cells, baseline } }) => {
    if (cells === undefined) return;
    context.load(comparisonQuery(cells, baseline), comparisonChartsQuery(cells), METRICS);
  },
  component: lazy(() => import('@/routes/ComparePage'), 'ComparePage'),
});
const leaderboardPage = createRoute({
  getParentRoute: () => root,
  path: '/leaderboard',
  validateSearch: leaderboardSearch,
  loaderDeps: ({ search }) => leaderboardParameters(search),
  loader: ({ context, deps }) => context.load(leaderboardQuery(deps), SCENARIOS, METRICS),
  component: lazy(() => import('@/routes/LeaderboardPage'), 'LeaderboardPage'),
});
const snapshot = createRoute({
  getParentRoute: () => root,
  path: '/c/$hash',
  validateSearch: snapshotSearch,
  component: lazy(() => import('@/routes/SnapshotPage'), 'SnapshotPage'),
});
const hostsPage = page(
  root,
  '/hosts',
  lazy(() => import('@/routes/HostsPage'), 'HostsPage'),
);
const schedulesPage = page(
  root,
  '/schedules',
  lazy(() => import('@/routes/SchedulesPage'), 'SchedulesPage'),
);
const newSchedule = createRoute({
  getParentRoute: () => root,
  path: '/schedules/new',
  validateSearch: newScheduleSearch,
  component: lazy(() => import('@/routes/NewSchedule'), 'NewSchedule'),
});
const schedulePage = page(
  root,
  '/schedules/$id',
  lazy(() => import('@/routes/SchedulePage'), 'SchedulePage'),
);

const routeTree = root.addChildren([
  overview,
  runsPage,
  newRun,
  runPage,
  earlierRunPage,
  runGroupPage,
  queuePage,
  embedRun,
  historyPage,
  changesPage,
  sloPage,
  guardsPage,
  guardPage,
  changePage,
  incidentPage,
  choosePage,
  comparePage,
  snapshot,
  leaderboardPage,
  hostsPage,
  schedulesPage,
  newSchedule,
  schedulePage,
  ...catalogueRoutes,
  ...teamRoutes,
]);

/** Return a router. Its history is that of the browser by default. */
export function createAppRouter(client: QueryClient, history?: RouterHistory) {
  return createRouter({
    routeTree,
    context: contextOf(client),
    ...(history && { history }),
    parseSearch,
    stringifySearch,
    defaultErrorComponent: RouteError,
    defaultPreload: 'intent',
    // The cache of the API's answers decides what is fetched again, for links as for pages.
    defaultPreloadStaleTime: 0,
    defaultStaleTime: Infinity,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
