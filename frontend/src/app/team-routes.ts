/** Routes of accounts, settings and operators. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { auditSearch, signInSearch } from '@/routes/search';
import { root } from './root';

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('@/routes/SettingsFrame'), 'SettingsFrame'),
});
const membersPage = createRoute({
  getParentRoute: () => settings,
  path: '/',
  component: lazyRouteComponent(() => import('@/routes/MembersPage'), 'MembersPage'),
});
const tokensPage = createRoute({
  getParentRoute: () => settings,
  path: '/tokens',
  component: lazyRouteComponent(() => import('@/routes/TokensPage'), 'TokensPage'),
});
const webhooksPage = createRoute({
  getParentRoute: () => settings,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('@/routes/WebhooksPage'), 'WebhooksPage'),
});
const limitsPage = createRoute({
  getParentRoute: () => settings,
  path: '/limits',
  component: lazyRouteComponent(() => import('@/routes/LimitsPage'), 'LimitsPage'),
});
const retentionPage = createRoute({
  getParentRoute: () => settings,
  path: '/retention',
  component: lazyRouteComponent(() => import('@/routes/RetentionPages'), 'WorkspaceRetentionPage'),
});
const auditPage = createRoute({
  getParentRoute: () => settings,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('@/routes/AuditPage'), 'AuditPage'),
});
const operator = createRoute({
  getParentRoute: () => root,
  path: '/operator',
  component: lazyRouteComponent(() => import('@/routes/OperatorFrame'), 'OperatorFrame'),
});
const usersPage = createRoute({
  getParentRoute: () => operator,
  path: '/',
  component: lazyRouteComponent(() => import('@/routes/OperatorPages'), 'UsersPage'),
});
const statePage = createRoute({
  getParentRoute: () => operator,
  path: '/state',
  component: lazyRouteComponent(() => import('@/routes/OperatorPages'), 'StatePage'),
});
const workspacesPage = createRoute({
  getParentRoute: () => operator,
  path: '/workspaces',
  component: lazyRouteComponent(() => import('@/routes/OperatorPages'), 'WorkspacesPage'),
});
const hostsPage = createRoute({
  getParentRoute: () => operator,
  path: '/hosts',
  component: lazyRouteComponent(() => import('@/routes/OperatorPages'), 'HostsPage'),
});
const installationRetentionPage = createRoute({
  getParentRoute: () => operator,
  path: '/retention',
  component: lazyRouteComponent(
    () => import('@/routes/RetentionPages'),
    'InstallationRetentionPage',
  ),
});
const installationAuditPage = createRoute({
  getParentRoute: () => operator,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('@/routes/OperatorPages'), 'InstallationAuditPage'),
});
const accountPage = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: lazyRouteComponent(() => import('@/routes/AccountPage'), 'AccountPage'),
});
const signInPage = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: signInSearch,
  component: lazyRouteComponent(() => import('@/routes/SignInPage'), 'SignInPage'),
});
const joinPage = createRoute({
  getParentRoute: () => root,
  path: '/join',
  component: lazyRouteComponent(() => import('@/routes/JoinPage'), 'JoinPage'),
});

const devicePage = createRoute({
  getParentRoute: () => root,
  path: '/device',
  component: lazyRouteComponent(() => import('@/routes/DevicePage'), 'DevicePage'),
});

export const teamRoutes = [
  settings.addChildren([
    membersPage,
    tokensPage,
    webhooksPage,
    limitsPage,
    retentionPage,
    auditPage,
  ]),
  operator.addChildren([
    statePage,
    usersPage,
    workspacesPage,
    hostsPage,
    installationRetentionPage,
    installationAuditPage,
  ]),
  accountPage,
  signInPage,
  joinPage,
  devicePage,
] as const;
