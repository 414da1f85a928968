/** Routes of frameworks, scenarios, hosts, verdicts and studies. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { catalogueSearch, frameworkSearch, studySearch } from '@/routes/search';
import { root } from './root';

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
  component: lazyRouteComponent(() => import('@/routes/FrameworkPage'), 'FrameworkPage'),
});
const scenarioPage = createRoute({
  getParentRoute: () => root,
  path: '/scenarios/$slug',
  component: lazyRouteComponent(() => import('@/routes/ScenarioPage'), 'ScenarioPage'),
});
const hostPage = createRoute({
  getParentRoute: () => root,
  path: '/hosts/$name',
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
  component: lazyRouteComponent(() => import('@/routes/StudyPage'), 'StudyPage'),
});

export const catalogueRoutes = [
  catalogue,
  frameworkPage,
  scenarioPage,
  hostPage,
  verdictsPage,
  studiesPage,
  studyPage,
] as const;
