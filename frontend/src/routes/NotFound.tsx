import { useLocation } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { LoadingState } from '@/components/States';
import { Missing } from './missing-lazy';

/** Page for unknown URLs. */
export function NotFound(): ReactNode {
  const { pathname } = useLocation();
  return (
    <Suspense fallback={<LoadingState />}>
      <Missing noun="page" asked={pathname} />
    </Suspense>
  );
}
