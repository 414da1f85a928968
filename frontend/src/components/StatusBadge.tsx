import {
  IconCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconPlayerPlay,
  IconX,
} from '@tabler/icons-react';
import { words } from '@/lib/format';
import classes from './StatusBadge.module.css';

const LOOKS = {
  queued: { icon: IconCircleDashed, tone: 'quiet' },
  succeeded: { icon: IconCheck, tone: 'good' },
  failed: { icon: IconX, tone: 'bad' },
  cancelled: { icon: IconCircleMinus, tone: 'quiet' },
} as const;

const MOVING = { icon: IconPlayerPlay, tone: 'accent' } as const;

/** Shows the status of a run or trial. All other statuses count as active. */
export function StatusBadge({ status, compact = false }: { status: string; compact?: boolean }) {
  const { icon: Icon, tone } = status in LOOKS ? LOOKS[status as keyof typeof LOOKS] : MOVING;
  return (
    <span className={classes.badge} data-tone={tone} title={compact ? words(status) : undefined}>
      <Icon size={14} stroke={2} aria-hidden />
      <span className={compact ? classes.hidden : undefined}>{words(status)}</span>
    </span>
  );
}
