import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { IconBadge } from '@/components/IconBadge';
import { StatusBadge } from '@/components/StatusBadge';

const LOOKS = {
  usable: { icon: IconCheck, tone: 'good', title: 'usable' },
  usable_with_warnings: { icon: IconAlertTriangle, tone: 'warn', title: 'usable with warnings' },
  not_usable: { icon: IconX, tone: 'bad', title: 'not usable' },
} as const;

/** A run, as far as the badge shows it. */
interface EndedRun {
  status: ComponentProps<typeof StatusBadge>['status'];
  outcome?: keyof typeof LOOKS | null | undefined;
}

/**
 * Shows whether a run has a usable answer, or the status of a run without one. A run with failed
 * trials has a usable answer if enough other trials succeeded.
 */
export function RunOutcomeBadge({ run }: { run: EndedRun }) {
  const outcome = run.outcome ?? null;
  const isJudged =
    run.status === 'succeeded' || (run.status === 'failed' && outcome !== 'not_usable');
  if (!isJudged || outcome === null) return <StatusBadge status={run.status} />;
  const look = LOOKS[outcome];
  return <IconBadge look={look} text={look.title} />;
}
