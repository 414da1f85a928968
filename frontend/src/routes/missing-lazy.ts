/** The page for items that do not exist, loaded when needed. */
import { lazy } from 'react';

export const Missing = lazy(async () => ({ default: (await import('./Missing')).Missing }));
