import { Outlet, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Shell } from './Shell';

/** Adds header and footer to every page except embedded ones. */
export function Frame(): ReactNode {
  const { pathname } = useLocation();
  return pathname.startsWith('/embed/') ? <Outlet /> : <Shell />;
}
