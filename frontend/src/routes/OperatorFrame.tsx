import { Link, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { useAccess } from '@/api/session';
import { DenialState } from '@/components/DenialNote';
import { PageHeader } from '@/components/Page';
import { PageTabs } from '@/components/PageTabs';
import { Loaded } from '@/components/States';

/** Heading and tabs of the pages for operators. */
export function OperatorFrame(): ReactNode {
  const query = api.useQuery('get', '/api/v1/session');
  const { denial } = useAccess('operate');
  return (
    <>
      <PageHeader
        title="Installation"
        meta="For operators: state, users, workspaces, hosts and retention."
      />
      <Loaded query={query}>
        {() =>
          denial !== null ? (
            <DenialState denial={denial} action="manage the installation" />
          ) : (
            <>
              <PageTabs label="Installation">
                {(tab) => (
                  <>
                    <Link to="/operator/state" className={tab}>
                      State
                    </Link>
                    <Link to="/operator" className={tab} activeOptions={{ exact: true }}>
                      Users
                    </Link>
                    <Link to="/operator/workspaces" className={tab}>
                      Workspaces
                    </Link>
                    <Link to="/operator/hosts" className={tab}>
                      Hosts
                    </Link>
                    <Link to="/operator/retention" className={tab}>
                      Retention
                    </Link>
                    <Link
                      to="/operator/audit"
                      className={tab}
                      activeOptions={{ includeSearch: false }}
                    >
                      Audit log
                    </Link>
                  </>
                )}
              </PageTabs>
              <Outlet />
            </>
          )
        }
      </Loaded>
    </>
  );
}
