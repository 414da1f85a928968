/** The parts of a run's page that are folded at first, loaded when one of them is opened. */
import { lazy, useEffect } from 'react';

const PRINTABLE_AFTER_MS = 3_000;

const loadTrialTable = () => import('./TrialTable');
const loadEnvironment = () => import('./Environment');

export const Evidence = lazy(async () => ({ default: (await import('./Evidence')).Evidence }));
export const TrialTable = lazy(async () => ({ default: (await loadTrialTable()).TrialTable }));
export const Environment = lazy(async () => ({ default: (await loadEnvironment()).Environment }));

/** Loads trials and environment after the rest of the page, because printing opens both at once. */
export function usePrintable() {
  useEffect(() => {
    const timer = setTimeout(() => {
      void loadTrialTable();
      void loadEnvironment();
    }, PRINTABLE_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
}
