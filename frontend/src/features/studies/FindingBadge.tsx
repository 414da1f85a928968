import {
  IconCheck,
  IconCircleDashed,
  IconMinus,
  IconQuestionMark,
  IconX,
} from '@tabler/icons-react';
import type { FindingCause } from '@/api/schema';
import classes from './FindingBadge.module.css';

const HOLDS = { icon: IconCheck, tone: 'good', text: 'holds here' } as const;
const CAUSES = {
  contradicted: { icon: IconX, tone: 'bad', text: 'contradicted' },
  different_system: { icon: IconMinus, tone: 'caution', text: 'different system' },
  host_too_small: { icon: IconMinus, tone: 'caution', text: 'host too small' },
  not_steady: { icon: IconQuestionMark, tone: 'caution', text: 'not steady' },
  excluded: { icon: IconQuestionMark, tone: 'caution', text: 'result excluded' },
  undecidable: { icon: IconMinus, tone: 'quiet', text: 'not decidable by this variant' },
  not_measured: { icon: IconCircleDashed, tone: 'quiet', text: 'not measured' },
  too_few_trials: { icon: IconQuestionMark, tone: 'caution', text: 'too few trials' },
  interval_too_wide: { icon: IconQuestionMark, tone: 'caution', text: 'interval too wide' },
  not_checkable: { icon: IconMinus, tone: 'quiet', text: 'not checkable' },
} as const;

/** Shows that a claim of a study holds in our results, or the cause why it does not. */
export function FindingBadge({ cause }: { cause: FindingCause | null | undefined }) {
  const { icon: Icon, tone, text } = cause ? CAUSES[cause] : HOLDS;
  return (
    <span className={classes.badge} data-tone={tone}>
      <Icon size={12} stroke={2.2} aria-hidden />
      {text}
    </span>
  );
}
