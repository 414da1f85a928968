import type { QueryClient } from '@tanstack/react-query';
import {
  createRoute,
  createRouter,
  lazyRouteComponent,
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
import { contextOf, root } from './root';
import { teamRoutes } from './team-routes';

const METRICS = api.queryOptions('get', '/api/v1/metrics');
const SCENARIOS = api.queryOptions('get', '/api/v1/scenarios');

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('@/routes/Overview'), 'Overview'),
});
const runsPage = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: runsSearch,
  component: lazyRouteComponent(() => import('@/routes/RunsPage'), 'RunsPage'),
});
const newRun = createRoute({
  getParentRoute: () => root,
  path: '/runs/new',
  validateSearch: newRunSearch,
  component: lazyRouteComponent(() => import('@/routes/NewRun'), 'NewRun'),
});
const runPage = createRoute({
  getParentRoute: () => root,
  path: '/r/$run',
  validateSearch: runSearch,
  loaderDeps: ({ search: { metric, baseline } }) => ({ metric, baseline }),
  loader: ({ context, params: { run }, deps }) => {
    context.load(runQuery(run), answerQuery(run), rankingQuery(run, deps), METRICS);
  },
  component: lazyRouteComponent(() => import('@/routes/RunPage'), 'RunPage'),
});
/** Earlier versions had a second page of a run. */
const earlierRunPage = createRoute({
  getParentRoute: () => root,
  path: '/runs/$run',
  validateSearch: runSearch,
  beforeLoad: ({ params, search }) =>
    redirect({ to: '/r/$run', params, search, replace: true, throw: true }),
});
const runGroupPage = createRoute({
  getParentRoute: () => root,
  path: '/g/$group',
  component: lazyRouteComponent(() => import('@/routes/RunGroupPage'), 'RunGroupPage'),
});
const queuePage = createRoute({
  getParentRoute: () => root,
  path: '/queue',
  component: lazyRouteComponent(() => import('@/routes/QueuePage'), 'QueuePage'),
});
const embedRun = createRoute({
  getParentRoute: () => root,
  path: '/embed/r/$run/$figure',
  validateSearch: runSearch,
  loader: ({ context, params }) => {
    context.load(runQuery(params.run));
  },
  component: lazyRouteComponent(() => import('@/routes/EmbedRun'), 'EmbedRun'),
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
  loader: ({ context, deps }) => {
    context.load(...historyQueries(deps));
  },
  component: lazyRouteComponent(() => import('@/routes/HistoryPage'), 'HistoryPage'),
});
const changesPage = createRoute({
  getParentRoute: () => root,
  path: '/changes',
  validateSearch: changesSearch,
  component: lazyRouteComponent(() => import('@/routes/ChangesPage'), 'ChangesPage'),
});
const sloPage = createRoute({
  getParentRoute: () => root,
  path: '/limits',
  component: lazyRouteComponent(() => import('@/routes/SloPage'), 'SloPage'),
});
const guardsPage = createRoute({
  getParentRoute: () => root,
  path: '/guards',
  validateSearch: guardsSearch,
  loader: ({ context }) => {
    context.load(guardedServicesQuery());
  },
  component: lazyRouteComponent(() => import('@/routes/GuardsPage'), 'GuardsPage'),
});
const guardPage = createRoute({
  getParentRoute: () => root,
  path: '/guards/$slug',
  loader: ({ context, params: { slug } }) => {
    context.load(guardQuery(slug), METRICS);
  },
  component: lazyRouteComponent(() => import('@/routes/GuardPage'), 'GuardPage'),
});
const changePage = createRoute({
  getParentRoute: () => root,
  path: '/changes/$id',
  loader: ({ context, params: { id } }) => {
    context.load(changeQuery(id));
  },
  component: lazyRouteComponent(() => import('@/routes/ChangePage'), 'ChangePage'),
});
const incidentPage = createRoute({
  getParentRoute: () => root,
  path: '/incidents/$id',
  validateSearch: incidentSearch,
  loader: ({ context, params: { id } }) => {
    context.load(incidentQuery(id));
  },
  component: lazyRouteComponent(() => import('@/routes/IncidentPage'), 'IncidentPage'),
});
const choosePage = createRoute({
  getParentRoute: () => root,
  path: '/choose',
  validateSearch: chooseSearch,
  component: lazyRouteComponent(() => import('@/routes/ChoosePage'), 'ChoosePage'),
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
  component: lazyRouteComponent(() => import('@/routes/ComparePage'), 'ComparePage'),
});
const leaderboardPage = createRoute({
  getParentRoute: () => root,
  path: '/leaderboard',
  validateSearch: leaderboardSearch,
  loaderDeps: ({ search }) => leaderboardParameters(search),
  loader: ({ context, deps }) => {
    context.load(leaderboardQuery(deps), SCENARIOS, METRICS);
  },
  component: lazyRouteComponent(() => import('@/routes/LeaderboardPage'), 'LeaderboardPage'),
});
const snapshot = createRoute({
  getParentRoute: () => root,
  path: '/c/$hash',
  validateSearch: snapshotSearch,
  component: lazyRouteComponent(() => import('@/routes/SnapshotPage'), 'SnapshotPage'),
});
const hostsPage = createRoute({
  getParentRoute: () => root,
  path: '/hosts',
  component: lazyRouteComponent(() => import('@/routes/HostsPage'), 'HostsPage'),
});
const schedulesPage = createRoute({
  getParentRoute: () => root,
  path: '/schedules',
  component: lazyRouteComponent(() => import('@/routes/SchedulesPage'), 'SchedulesPage'),
});
const newSchedule = createRoute({
  getParentRoute: () => root,
  path: '/schedules/new',
  validateSearch: newScheduleSearch,
  component: lazyRouteComponent(() => import('@/routes/NewSchedule'), 'NewSchedule'),
});
const schedulePage = createRoute({
  getParentRoute: () => root,
  path: '/schedules/$id',
  component: lazyRouteComponent(() => import('@/routes/SchedulePage'), 'SchedulePage'),
});

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
