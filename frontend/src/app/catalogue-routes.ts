/** Routes of frameworks, scenarios, hosts, verdicts, studies and documentation. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { frameworkQuery, latestResultsQuery, scenarioQuery } from '@/features/catalogue/query';
import { hostQuery } from '@/features/hosts/query';
import { studyQuery } from '@/features/studies/query';
import { loadPage } from '@/lib/docs/lazy';
import { catalogueSearch, frameworkSearch, studySearch } from '@/routes/search';
import { root } from './root';

const FIRST_PAGE = 'getting-started';

const catalogue = createRoute({
  getParentRoute: () => root,
  path: '/frameworks',
  validateSearch: catalogueSearch,
  component: lazyRouteComponent(() => import('@/routes/Catalogue'), 'Catalogue'),
});
const frameworkPage = createRoute({
  getParentRoute: () => root,
  path: '/frameworks/$slug',
  validateSearch: frameworkSearch,
  loader: ({ context, params: { slug } }) => {
    context.load(frameworkQuery(slug), latestResultsQuery(slug));
  },
  component: lazyRouteComponent(() => import('@/routes/FrameworkPage'), 'FrameworkPage'),
});
const scenarioPage = createRoute({
  getParentRoute: () => root,
  path: '/scenarios/$slug',
  loader: ({ context, params: { slug } }) => {
    context.load(scenarioQuery(slug));
  },
  component: lazyRouteComponent(() => import('@/routes/ScenarioPage'), 'ScenarioPage'),
});
const hostPage = createRoute({
  getParentRoute: () => root,
  path: '/hosts/$name',
  loader: ({ context, params: { name } }) => {
    context.load(hostQuery(name));
  },
  component: lazyRouteComponent(() => import('@/routes/HostPage'), 'HostPage'),
});
const verdictsPage = createRoute({
  getParentRoute: () => root,
  path: '/verdicts',
  component: lazyRouteComponent(() => import('@/routes/VerdictsPage'), 'VerdictsPage'),
});
const studiesPage = createRoute({
  getParentRoute: () => root,
  path: '/studies',
  component: lazyRouteComponent(() => import('@/routes/StudiesPage'), 'StudiesPage'),
});
const studyPage = createRoute({
  getParentRoute: () => root,
  path: '/studies/$slug',
  validateSearch: studySearch,
  loaderDeps: ({ search: { run } }) => ({ run }),
  loader: ({ context, params: { slug }, deps: { run } }) => {
    context.load(studyQuery(slug, run));
  },
  component: lazyRouteComponent(() => import('@/routes/StudyPage'), 'StudyPage'),
});
const docsPage = createRoute({
  getParentRoute: () => root,
  path: '/docs/$',
  beforeLoad: ({ params: { _splat: path } }) => {
    if (!path) redirect({ to: '/docs/$', params: { _splat: FIRST_PAGE }, throw: true });
  },
  loader: ({ params: { _splat: path = '' } }) => loadPage(path),
  component: lazyRouteComponent(() => import('@/routes/DocsPage'), 'DocsPage'),
});

export const catalogueRoutes = [
  catalogue,
  frameworkPage,
  scenarioPage,
  hostPage,
  verdictsPage,
  studiesPage,
  studyPage,
  docsPage,
] as const;
