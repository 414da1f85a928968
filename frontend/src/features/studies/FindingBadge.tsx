import {
  IconCheck,
  IconCircleDashed,
  IconMinus,
  IconQuestionMark,
  IconX,
} from '@tabler/icons-react';
import type { ClaimFinding } from '@/api/studies';
import classes from './FindingBadge.module.css';

const LOOKS = {
  holds: { icon: IconCheck, tone: 'good', text: 'holds here' },
  does_not_hold: { icon: IconX, tone: 'bad', text: 'does not hold here' },
  inconclusive: { icon: IconQuestionMark, tone: 'caution', text: 'inconclusive' },
  undecidable: { icon: IconMinus, tone: 'quiet', text: 'not decidable by this variant' },
  not_measured: { icon: IconCircleDashed, tone: 'quiet', text: 'not measured' },
  not_checkable: { icon: IconMinus, tone: 'quiet', text: 'not checkable' },
} as const;

/** Shows whether a claim of a study holds in our results. */
export function FindingBadge({ finding }: { finding: ClaimFinding }) {
  const { icon: Icon, tone, text } = LOOKS[finding];
  return (
    <span className={classes.badge} data-tone={tone}>
      <Icon size={12} stroke={2.2} aria-hidden />
      {text}
    </span>
  );
}
