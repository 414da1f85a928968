import {
  IconAlertTriangle,
  IconArrowsDiff,
  IconCheck,
  IconEqual,
  IconQuestionMark,
} from '@tabler/icons-react';
import type { ChangeState, GuardVerdict } from '@/api/schema';
import { IconBadge } from '@/components/IconBadge';

const VERDICTS = {
  slower: { icon: IconAlertTriangle, tone: 'bad', text: 'slower' },
  faster: { icon: IconCheck, tone: 'good', text: 'faster' },
  no_difference: { icon: IconEqual, tone: 'good', text: 'no difference' },
  unknown: { icon: IconQuestionMark, tone: 'warn', text: 'unknown' },
  responses_differ: { icon: IconArrowsDiff, tone: 'bad', text: 'different responses' },
} as const;

const STATES = {
  worse: { icon: IconAlertTriangle, tone: 'bad' },
  better: { icon: IconCheck, tone: 'good' },
  within_limit: { icon: IconEqual, tone: 'quiet' },
  unknown: { icon: IconQuestionMark, tone: 'warn' },
} as const;

/** Shows the verdict of a guard. */
export function GuardBadge({ verdict }: { verdict: GuardVerdict }) {
  const { text, ...look } = VERDICTS[verdict];
  return <IconBadge look={look} text={text} />;
}

/** Shows that a commit differs from the commit before; as a warning until a guard confirms it. */
export function CommitStep({ step, isConfirmed }: CommitStepProps) {
  const look = STATES[step];
  return <IconBadge look={isConfirmed ? look : { ...look, tone: 'warn' }} text={step} />;
}

interface CommitStepProps {
  step: 'worse' | 'better';
  isConfirmed: boolean;
}

/** Shows the state of a change in one metric, with its words. */
export function ChangeStateBadge({ state, text }: { state: ChangeState; text: string }) {
  return <IconBadge look={STATES[state]} text={text} />;
}
