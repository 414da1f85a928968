/** Roles of members, in words. */
import type { Role } from './schema';

/** The meaning of each role, from the fewest permissions to all. */
export const ROLES: readonly { role: Role; name: string; meaning: string }[] = [
  { role: 'viewer', name: 'Viewer', meaning: 'Sees all runs, histories and changes.' },
  { role: 'member', name: 'Member', meaning: 'Starts runs, and decides about changes.' },
  {
    role: 'maintainer',
    name: 'Maintainer',
    meaning:
      'As a member, and manages schedules, webhooks and limits, changes the visibility of runs, and archives and deletes runs.',
  },
  {
    role: 'owner',
    name: 'Owner',
    meaning: 'As a maintainer, and manages members, access tokens and retention.',
  },
];
