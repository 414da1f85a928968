import { Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { useAccess } from '@/api/session';
import { DenialState } from '@/components/DenialNote';
import { PageHeader } from '@/components/Page';
import { PageTabs } from '@/components/PageTabs';
import { Loaded } from '@/components/States';

const TABS = [
  { to: '/operator/state', label: 'State' },
  { to: '/operator', label: 'Users', isFirst: true },
  { to: '/operator/workspaces', label: 'Workspaces' },
  { to: '/operator/hosts', label: 'Hosts' },
  { to: '/operator/retention', label: 'Retention' },
  { to: '/operator/audit', label: 'Audit log' },
] as const;

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
              <PageTabs label="Installation" tabs={TABS} />
              <Outlet />
            </>
          )
        }
      </Loaded>
    </>
  );
}
