import {
  IconAlertTriangle,
  IconCheck,
  IconCircleMinus,
  IconFlask,
  IconServerBolt,
} from '@tabler/icons-react';
import type { ChangeStatus } from '@/api/changes';
import classes from './ChangeBadge.module.css';
import { STATUSES } from './statuses';

const LOOKS = {
  suspected: { icon: IconAlertTriangle, tone: 'warn' },
  testing: { icon: IconFlask, tone: 'accent' },
  confirmed: { icon: IconCheck, tone: 'ink' },
  dismissed: { icon: IconCircleMinus, tone: 'quiet' },
  host_drift: { icon: IconServerBolt, tone: 'quiet' },
} as const;

export function ChangeBadge({ status }: { status: ChangeStatus }) {
  const { icon: Icon, tone } = LOOKS[status];
  return (
    <span className={classes.badge} data-tone={tone}>
      <Icon size={14} stroke={2} aria-hidden />
      {STATUSES.find((entry) => entry.status === status)?.title}
    </span>
  );
}
