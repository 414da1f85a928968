import {
  IconAlertTriangle,
  IconCheck,
  IconCircleMinus,
  IconFlask,
  IconServerBolt,
} from '@tabler/icons-react';
import type { ChangeStatus } from '@/api/schema';
import { IconBadge } from '@/components/IconBadge';
import { STATUSES } from './statuses';

const LOOKS = {
  suspected: { icon: IconAlertTriangle, tone: 'warn' },
  testing: { icon: IconFlask, tone: 'accent' },
  confirmed: { icon: IconCheck, tone: 'ink' },
  dismissed: { icon: IconCircleMinus, tone: 'quiet' },
  host_drift: { icon: IconServerBolt, tone: 'quiet' },
} as const;

export function ChangeBadge({ status }: { status: ChangeStatus }) {
  const title = STATUSES.find((entry) => entry.status === status)?.title ?? status;
  return <IconBadge look={LOOKS[status]} text={title} />;
}
