import {
  IconActivity,
  IconAlertTriangle,
  IconCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconClockExclamation,
  IconLogout,
  IconPlayerPause,
  IconPlugConnectedX,
  IconRefreshAlert,
  IconX,
} from '@tabler/icons-react';
import { words } from '@/lib/format';
import { IconBadge } from './IconBadge';

const LOOKS = {
  invited: { icon: IconCircleDashed, tone: 'accent' },
  waiting: { icon: IconCircleDashed, tone: 'accent' },
  pending: { icon: IconCircleDashed, tone: 'accent' },
  arrived: { icon: IconCheck, tone: 'good' },
  delivered: { icon: IconCheck, tone: 'good' },
  enabled: { icon: IconCheck, tone: 'good' },
  late: { icon: IconClockExclamation, tone: 'warn' },
  missed: { icon: IconAlertTriangle, tone: 'bad' },
  failed: { icon: IconX, tone: 'bad' },
  cancelled: { icon: IconCircleMinus, tone: 'quiet' },
  disabled: { icon: IconCircleMinus, tone: 'quiet' },
  ready: { icon: IconCheck, tone: 'good' },
  busy: { icon: IconActivity, tone: 'accent' },
  offline: { icon: IconPlugConnectedX, tone: 'warn' },
  low_disk: { icon: IconAlertTriangle, tone: 'warn' },
  outdated: { icon: IconRefreshAlert, tone: 'warn' },
  revoked: { icon: IconCircleMinus, tone: 'bad' },
  paused: { icon: IconPlayerPause, tone: 'quiet' },
  leaving: { icon: IconLogout, tone: 'warn' },
} as const;

export type Outcome = keyof typeof LOOKS;

/** Shows the outcome of a scheduled run or of a message to a webhook, or the state of a host. */
export function OutcomeBadge({
  outcome,
  compact = false,
}: {
  outcome: Outcome;
  compact?: boolean;
}) {
  return <IconBadge look={LOOKS[outcome]} text={words(outcome)} compact={compact} />;
}
