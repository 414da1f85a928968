/** Titles of the statuses of a change, in their usual order. */
import type { ChangeStatus } from '@/api/schema';

export const STATUSES: readonly { status: ChangeStatus; title: string }[] = [
  { status: 'suspected', title: 'Suspected' },
  { status: 'testing', title: 'Testing' },
  { status: 'confirmed', title: 'Confirmed' },
  { status: 'dismissed', title: 'Dismissed' },
  { status: 'host_drift', title: 'Host drift' },
];

/** A status, `open` for incidents that need attention, or `all`. */
export type IncidentTab = ChangeStatus | 'open' | 'all';

export interface Decision {
  /** The new status, if the decision changes it. */
  status?: ChangeStatus;
  /** Whether a person has taken note of a confirmed change. */
  acknowledged?: boolean;
  label: string;
  title: string;
  explains: string;
}

const CONFIRM: Decision = {
  status: 'confirmed',
  label: 'Confirm by hand',
  title: 'Confirm by hand',
  explains: 'Webhooks are notified, and later runs are compared with the new level.',
};
const DISMISS: Decision = {
  status: 'dismissed',
  label: 'Dismiss',
  title: 'Dismiss',
  explains: 'It stays dismissed, even if later runs show it again.',
};
const REOPEN: Decision = {
  status: 'suspected',
  label: 'Reopen',
  title: 'Reopen',
  explains: 'It becomes suspected again. No confirmation run starts until you request one.',
};
const TEST_AGAIN: Decision = {
  status: 'testing',
  label: 'Test again',
  title: 'Test again',
  explains:
    'A confirmation run measures the old and the new build in pairs of trials, in random order, on the same host. Its result decides.',
};

const ACKNOWLEDGE: Decision = {
  acknowledged: true,
  label: 'Acknowledge',
  title: 'Acknowledge',
  explains: 'It is no longer listed as open. Later runs are compared with the new level.',
};
const UNACKNOWLEDGE: Decision = {
  acknowledged: false,
  label: 'List as open again',
  title: 'List as open again',
  explains: 'It is listed as open until someone acknowledges it.',
};

/** Return the possible decisions for this status, the most likely first. */
export function listDecisions(status: ChangeStatus, isOpen: boolean): readonly Decision[] {
  switch (status) {
    case 'suspected':
      return [TEST_AGAIN, CONFIRM, DISMISS];
    case 'testing':
      return [CONFIRM, DISMISS];
    case 'confirmed':
      return [isOpen ? ACKNOWLEDGE : UNACKNOWLEDGE, DISMISS, TEST_AGAIN, REOPEN];
    case 'dismissed':
      return [REOPEN, TEST_AGAIN, CONFIRM];
    case 'host_drift':
      return [TEST_AGAIN, CONFIRM, DISMISS, REOPEN];
  }
}
