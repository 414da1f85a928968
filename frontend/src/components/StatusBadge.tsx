import {
  IconCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconPlayerPlay,
  IconX,
} from '@tabler/icons-react';
import { words } from '@/lib/format';
import { IconBadge } from './IconBadge';

const LOOKS = {
  queued: { icon: IconCircleDashed, tone: 'quiet' },
  succeeded: { icon: IconCheck, tone: 'good' },
  failed: { icon: IconX, tone: 'bad' },
  cancelled: { icon: IconCircleMinus, tone: 'quiet' },
} as const;

const MOVING = { icon: IconPlayerPlay, tone: 'accent' } as const;

/** Shows the status of a run or trial. All other statuses count as active. */
export function StatusBadge({ status, compact = false }: { status: string; compact?: boolean }) {
  const look = status in LOOKS ? LOOKS[status as keyof typeof LOOKS] : MOVING;
  return <IconBadge look={look} text={words(status)} compact={compact} />;
}
