/** Scopes of access tokens, in words. */
import type { TokenScope } from './schema';

/** The meaning of each scope, from the fewest permissions to the most. */
export const SCOPES: readonly { scope: TokenScope; name: string; meaning: string }[] = [
  { scope: 'read', name: 'Read', meaning: 'Reads runs, histories and changes.' },
  { scope: 'run', name: 'Run', meaning: 'Also starts runs, and decides about changes.' },
  {
    scope: 'manage',
    name: 'Manage',
    meaning:
      'Also manages schedules, webhooks and limits, changes the visibility of runs, and archives and deletes runs.',
  },
];
