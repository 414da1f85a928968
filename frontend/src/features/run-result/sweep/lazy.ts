/** The parts of a sweep, which most runs do not have. */
import { lazy } from 'react';

const load = () => import('./SweepFigure');

export const SweepFigure = lazy(async () => ({ default: (await load()).SweepFigure }));
export const SweepPicker = lazy(async () => ({ default: (await load()).SweepPicker }));
