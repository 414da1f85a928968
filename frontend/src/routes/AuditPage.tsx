import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAccess } from '@/api/session';
import { DenialState } from '@/components/DenialNote';
import { AuditLog } from '@/features/audit/AuditLog';
import { useDocumentTitle } from '@/lib/hooks';

const route = getRouteApi('/settings/audit');

/** The audit log of the workspace. */
export function AuditPage(): ReactNode {
  useDocumentTitle('Audit log');
  const { denial } = useAccess('own');
  const filter = route.useSearch();
  const navigate = useNavigate();
  if (denial) return <DenialState denial={denial} action="read the audit log" />;
  return (
    <AuditLog
      filter={filter}
      onFilter={(search) =>
        void navigate({ to: '/settings/audit', search, replace: true, resetScroll: false })
      }
    />
  );
}
