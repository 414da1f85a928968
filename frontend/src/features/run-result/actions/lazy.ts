/** The menu and the dialogs of a run's page, loaded when they are opened. */
import { lazy } from 'react';

export const ArchiveRunDialog = lazy(async () => ({
  default: (await import('./ArchiveRunDialog')).ArchiveRunDialog,
}));
export const DeleteRunDialog = lazy(async () => ({
  default: (await import('./DeleteRunDialog')).DeleteRunDialog,
}));
export const ReproduceDialog = lazy(async () => ({
  default: (await import('./ReproduceDialog')).ReproduceDialog,
}));
export const RunMenu = lazy(async () => ({ default: (await import('./RunMenu')).RunMenu }));
export const ShareDialog = lazy(async () => ({
  default: (await import('./ShareDialog')).ShareDialog,
}));
