import { Link, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { useAccess } from '@/api/session';
import { DenialState } from '@/components/DenialNote';
import { PageHeader } from '@/components/Page';
import { PageTabs } from '@/components/PageTabs';
import { Loaded } from '@/components/States';

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
              <PageTabs label="Settings">
                {(tab) => (
                  <>
                    <Link to="/settings" className={tab} activeOptions={{ exact: true }}>
                      Members
                    </Link>
                    {isOwner && user !== null && (
                      <Link to="/settings/tokens" className={tab}>
                        Access tokens
                      </Link>
                    )}
                    <Link to="/settings/webhooks" className={tab}>
                      Webhooks
                    </Link>
                    <Link to="/settings/limits" className={tab}>
                      Limits
                    </Link>
                    <Link to="/settings/retention" className={tab}>
                      Retention
                    </Link>
                    {isOwner && (
                      <Link
                        to="/settings/audit"
                        className={tab}
                        activeOptions={{ includeSearch: false }}
                      >
                        Audit log
                      </Link>
                    )}
                  </>
                )}
              </PageTabs>
              <Outlet />
            </>
          );
        }}
      </Loaded>
    </>
  );
}
