/** Rules of a history's chart, given beside it: they move without its points being drawn anew. */
import { createContext } from 'react';

/** Something that happened to a series: its level changed, or what it was measured with. */
export interface HistoryRule {
  at: number;
  label: string;
  kind: 'change' | 'event';
  colour: number;
}

export const HistoryRules = createContext<readonly HistoryRule[]>([]);
