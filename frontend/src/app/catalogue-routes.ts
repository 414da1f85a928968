/** Routes of frameworks, scenarios, hosts, verdicts, studies and documentation. */
import { createRoute, lazyRouteComponent as lazy, redirect } from '@tanstack/react-router';
import { frameworkQuery, latestResultsQuery, scenarioQuery } from '@/features/catalogue/query';
import { hostQuery } from '@/features/hosts/query';
import { studyQuery } from '@/features/studies/query';
import { loadPage } from '@/lib/docs/lazy';
import { catalogueSearch, frameworkSearch, studySearch } from '@/routes/search';
import { page, root } from './root';

const FIRST_PAGE = 'getting-started';

const catalogue = createRoute({
  getParentRoute: () => root,
  path: '/frameworks',
  validateSearch: catalogueSearch,
  component: lazy(() => import('@/routes/Catalogue'), 'Catalogue'),
});
const frameworkPage = createRoute({
  getParentRoute: () => root,
  path: '/frameworks/$slug',
  validateSearch: frameworkSearch,
  loader: ({ context, params: { slug } }) =>
    context.load(frameworkQuery(slug), latestResultsQuery(slug)),
  component: lazy(() => import('@/routes/FrameworkPage'), 'FrameworkPage'),
});
const scenarioPage = createRoute({
  getParentRoute: () => root,
  path: '/scenarios/$slug',
  loader: ({ context, params: { slug } }) => context.load(scenarioQuery(slug)),
  component: lazy(() => import('@/routes/ScenarioPage'), 'ScenarioPage'),
});
const hostPage = createRoute({
  getParentRoute: () => root,
  path: '/hosts/$name',
  loader: ({ context, params: { name } }) => context.load(hostQuery(name)),
  component: lazy(() => import('@/routes/HostPage'), 'HostPage'),
});
const verdictsPage = page(
  root,
  '/verdicts',
  lazy(() => import('@/routes/VerdictsPage'), 'VerdictsPage'),
);
const studiesPage = page(
  root,
  '/studies',
  lazy(() => import('@/routes/StudiesPage'), 'StudiesPage'),
);
const studyPage = createRoute({
  getParentRoute: () => root,
  path: '/studies/$slug',
  validateSearch: studySearch,
  loaderDeps: ({ search: { run } }) => ({ run }),
  loader: ({ context, params: { slug }, deps: { run } }) => context.load(studyQuery(slug, run)),
  component: lazy(() => import('@/routes/StudyPage'), 'StudyPage'),
});
const docsPage = createRoute({
  getParentRoute: () => root,
  path: '/docs/$',
  beforeLoad: ({ params: { _splat: path } }) => {
    if (!path) redirect({ to: '/docs/$', params: { _splat: FIRST_PAGE }, throw: true });
  },
  loader: ({ params: { _splat: path = '' } }) => loadPage(path),
  component: lazy(() => import('@/routes/DocsPage'), 'DocsPage'),
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
