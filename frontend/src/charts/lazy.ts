/** Charts that draw with Recharts, fetched when the first one is shown. */
import { lazy } from 'react';

export const TimeChart = lazy(async () => ({ default: (await import('./TimeChart')).TimeChart }));
export const TailChart = lazy(async () => ({ default: (await import('./TailChart')).TailChart }));
export const LiveChart = lazy(async () => ({ default: (await import('./LiveChart')).LiveChart }));
export const HistoryChart = lazy(async () => ({
  default: (await import('./HistoryChart')).HistoryChart,
}));
export const CurveChart = lazy(async () => ({
  default: (await import('./CurveChart')).CurveChart,
}));
export const HeatChart = lazy(async () => ({ default: (await import('./HeatChart')).HeatChart }));
export const ScatterChart = lazy(async () => ({
  default: (await import('./ScatterChart')).ScatterChart,
}));
