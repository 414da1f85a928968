/** Routes of accounts, settings and operators. */
import { createRoute, lazyRouteComponent as lazy } from '@tanstack/react-router';
import { auditSearch, signInSearch } from '@/routes/search';
import { page, root } from './root';

const settings = page(
  root,
  '/settings',
  lazy(() => import('@/routes/SettingsFrame'), 'SettingsFrame'),
);
const membersPage = page(
  settings,
  '/',
  lazy(() => import('@/routes/MembersPage'), 'MembersPage'),
);
const tokensPage = page(
  settings,
  '/tokens',
  lazy(() => import('@/routes/TokensPage'), 'TokensPage'),
);
const webhooksPage = page(
  settings,
  '/webhooks',
  lazy(() => import('@/routes/WebhooksPage'), 'WebhooksPage'),
);
const limitsPage = page(
  settings,
  '/limits',
  lazy(() => import('@/routes/LimitsPage'), 'LimitsPage'),
);
const retentionPage = page(
  settings,
  '/retention',
  lazy(() => import('@/routes/RetentionPages'), 'WorkspaceRetentionPage'),
);
const auditPage = createRoute({
  getParentRoute: () => settings,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazy(() => import('@/routes/AuditPage'), 'AuditPage'),
});
const operator = page(
  root,
  '/operator',
  lazy(() => import('@/routes/OperatorFrame'), 'OperatorFrame'),
);
const usersPage = page(
  operator,
  '/',
  lazy(() => import('@/routes/OperatorPages'), 'UsersPage'),
);
const statePage = page(
  operator,
  '/state',
  lazy(() => import('@/routes/OperatorPages'), 'StatePage'),
);
const workspacesPage = page(
  operator,
  '/workspaces',
  lazy(() => import('@/routes/OperatorPages'), 'WorkspacesPage'),
);
const hostsPage = page(
  operator,
  '/hosts',
  lazy(() => import('@/routes/OperatorPages'), 'HostsPage'),
);
const installationRetentionPage = page(
  operator,
  '/retention',
  lazy(() => import('@/routes/RetentionPages'), 'InstallationRetentionPage'),
);
const installationAuditPage = createRoute({
  getParentRoute: () => operator,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazy(() => import('@/routes/OperatorPages'), 'InstallationAuditPage'),
});
const accountPage = page(
  root,
  '/account',
  lazy(() => import('@/routes/AccountPage'), 'AccountPage'),
);
const signInPage = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: signInSearch,
  component: lazy(() => import('@/routes/SignInPage'), 'SignInPage'),
});
const joinPage = page(
  root,
  '/join',
  lazy(() => import('@/routes/JoinPage'), 'JoinPage'),
);

const devicePage = page(
  root,
  '/device',
  lazy(() => import('@/routes/DevicePage'), 'DevicePage'),
);

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
