import {
  IconCheck,
  IconCircleDashed,
  IconMinus,
  IconQuestionMark,
  IconX,
} from '@tabler/icons-react';
import type { FindingCause } from '@/api/schema';
import { ToneBadge } from '@/components/ToneBadge';

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
  return <ToneBadge {...(cause ? CAUSES[cause] : HOLDS)} />;
}
