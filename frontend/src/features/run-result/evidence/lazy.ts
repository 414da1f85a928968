/** A part of a run's page that is folded at first, loaded when it is opened. */
import { lazy } from 'react';

export const Evidence = lazy(async () => ({ default: (await import('./Evidence')).Evidence }));
