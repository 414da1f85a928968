import { createRootRoute } from '@tanstack/react-router';
import { NotFound } from '@/routes/NotFound';
import { Frame } from './Frame';

/** The route that contains all others. */
export const root = createRootRoute({ component: Frame, notFoundComponent: NotFound });
