/** Parts of a run's page that are loaded when needed. */
import { lazy } from 'react';
import { late } from '@/lib/late';

export const RunFigures = late(
  lazy(async () => ({
    default: (await import('@/features/run-result/figures/RunFigures')).RunFigures,
  })),
);
export const RunLive = lazy(async () => ({
  default: (await import('@/features/run-live/RunLive')).RunLive,
}));
