/** Components whose code is loaded when they are first drawn. */
import { lazy } from 'react';

export const OpenedDialog = lazy(async () => ({
  default: (await import('./OpenedDialog')).OpenedDialog,
}));
export const SectionMenu = lazy(async () => ({
  default: (await import('./SectionMenu')).SectionMenu,
}));
export const VerdictMeaning = lazy(async () => ({
  default: (await import('./VerdictMeaning')).VerdictMeaning,
}));
