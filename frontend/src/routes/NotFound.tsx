import { useLocation } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { LoadingState } from '@/components/States';
import { Missing } from './missing-lazy';

/** An address without a page. */
export function NotFound(): ReactNode {
  const { pathname } = useLocation();
  return (
    <Suspense fallback={<LoadingState />}>
      <Missing noun="page" asked={pathname} />
    </Suspense>
  );
}
