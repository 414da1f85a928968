import { Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { useAccess } from '@/api/session';
import { DenialState } from '@/components/DenialNote';
import { PageHeader } from '@/components/Page';
import { PageTabs } from '@/components/PageTabs';
import { Loaded } from '@/components/States';

const TABS = [
  { to: '/settings', label: 'Members', isFirst: true },
  { to: '/settings/tokens', label: 'Access tokens' },
  { to: '/settings/webhooks', label: 'Webhooks' },
  { to: '/settings/limits', label: 'Limits' },
  { to: '/settings/retention', label: 'Retention' },
  { to: '/settings/audit', label: 'Audit log' },
] as const;

/** Heading and tabs of the settings of the workspace. Only members see them. */
export function SettingsFrame(): ReactNode {
  const query = api.useQuery('get', '/api/v1/session');
  const { denial } = useAccess('view');
  return (
    <>
      <PageHeader
        title="Settings"
        meta={query.data?.workspace && `Workspace ${query.data.workspace.name}`}
      />
      <Loaded query={query}>
        {({ permissions, user }) => {
          if (denial !== null) return <DenialState denial={denial} action="see the settings" />;
          const isOwner = permissions.includes('own');
          return (
            <>
              <PageTabs
                label="Settings"
                tabs={TABS.filter(
                  ({ to }) =>
                    (to !== '/settings/tokens' || (isOwner && user !== null)) &&
                    (to !== '/settings/audit' || isOwner),
                )}
              />
              <Outlet />
            </>
          );
        }}
      </Loaded>
    </>
  );
}
