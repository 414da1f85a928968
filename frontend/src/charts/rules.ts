/** Rules of a history chart. They are passed separately, so that they can change without redrawing the points. */
import { createContext } from 'react';

/** A vertical rule: a level shift, or a change of the environment. */
export interface HistoryRule {
  at: number;
  label: string;
  kind: 'change' | 'event';
  colour: number;
}

export const HistoryRules = createContext<readonly HistoryRule[]>([]);
