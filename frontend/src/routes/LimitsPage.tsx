import type { ReactNode } from 'react';
import { Limits } from '@/features/limits/Limits';
import { useDocumentTitle } from '@/lib/hooks';

/** Limits of the caller and of the workspace. */
export function LimitsPage(): ReactNode {
  useDocumentTitle('Limits');
  return <Limits />;
}
