import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { AuditLog } from '@/features/audit/AuditLog';
import { BackupNotice } from '@/features/operator/BackupNotice';
import { Hosts } from '@/features/operator/Hosts';
import { State } from '@/features/operator/state/State';
import { Users } from '@/features/operator/Users';
import { Workspaces } from '@/features/operator/Workspaces';
import { useDocumentTitle } from '@/lib/hooks';

/** Users of the installation. */
export function UsersPage(): ReactNode {
  useDocumentTitle('Users');
  const session = api.useQuery('get', '/api/v1/session');
  return <Users self={session.data?.user?.id ?? null} />;
}

/** Workspaces of the installation. */
export function WorkspacesPage(): ReactNode {
  useDocumentTitle('Workspaces');
  return <Workspaces />;
}

/** Problems that need an operator, and the state of all parts. */
export function StatePage(): ReactNode {
  useDocumentTitle('State');
  return <State />;
}

/** Bench hosts of the installation. */
export function HostsPage(): ReactNode {
  useDocumentTitle('Hosts');
  return (
    <>
      <BackupNotice />
      <Hosts />
    </>
  );
}

const route = getRouteApi('/operator/audit');

/** Changes that belong to no workspace. */
export function InstallationAuditPage(): ReactNode {
  useDocumentTitle('Audit log');
  const filter = route.useSearch();
  const navigate = useNavigate();
  return (
    <AuditLog
      installation
      filter={filter}
      onFilter={(search) =>
        void navigate({ to: '/operator/audit', search, replace: true, resetScroll: false })
      }
    />
  );
}
