import { Outlet, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Shell } from './Shell';

/** Header and footer around every page but those that stand in the frame of another site. */
export function Frame(): ReactNode {
  const { pathname } = useLocation();
  return pathname.startsWith('/embed/') ? <Outlet /> : <Shell />;
}
