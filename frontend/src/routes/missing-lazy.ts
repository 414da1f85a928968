/** The page of what does not exist: its code comes when it is needed. */
import { lazy } from 'react';

export const Missing = lazy(async () => ({ default: (await import('./Missing')).Missing }));
