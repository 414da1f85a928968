import type { ReactNode } from 'react';
import { InstallationRetention } from '@/features/retention/InstallationRetention';
import { WorkspaceRetention } from '@/features/retention/WorkspaceRetention';
import { useDocumentTitle } from '@/lib/hooks';

/** How long the workspace keeps seconds and logs. */
export function WorkspaceRetentionPage(): ReactNode {
  useDocumentTitle('Retention');
  return <WorkspaceRetention />;
}

/** How long the installation keeps seconds and logs. */
export function InstallationRetentionPage(): ReactNode {
  useDocumentTitle('Retention');
  return <InstallationRetention />;
}
