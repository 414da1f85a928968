import { Tooltip } from '@mantine/core';
import {
  IconArrowDownRight,
  IconArrowUpRight,
  IconEqual,
  IconMinus,
  IconQuestionMark,
} from '@tabler/icons-react';
import classes from './PairBadge.module.css';

const MEANINGS = {
  difference: 'The whole confidence interval is on one side.',
  equivalent: 'The whole confidence interval is within the margin of equivalence.',
  cannot_be_told_apart_yet: 'The confidence interval shows neither a difference nor equivalence.',
  not_comparable: 'The two results were not measured alike, or one of them is excluded.',
} as const;

const BASES = {
  paired: (n: number) => `${n} pairs of trials of one run.`,
  independent: () => 'Independent trials, Welch’s t.',
  sequential: (n: number) => `Tested after each of ${n} blocks of trials.`,
  steps: (n: number) => `The rates that ${n} trials passed and failed.`,
} as const;

/** The state of a pair of results, in words. */
export interface FoundPair {
  state: keyof typeof MEANINGS;
  is_better: boolean | null;
  words: string;
  explanation: string | null;
  method: keyof typeof BASES;
  n: number;
}

interface PairBadgeProps {
  found: FoundPair;
}

/** Shows what is known about a result and the baseline, and for an undecided pair what would decide. */
export function PairBadge({ found }: PairBadgeProps) {
  const { state, is_better: isBetter, words, explanation, method, n } = found;
  return (
    <span className={classes.pair}>
      <Tooltip label={`${MEANINGS[state]} ${BASES[method](n)}`}>
        <span className={classes.badge} data-state={state} data-better={isBetter} tabIndex={0}>
          <PairIcon state={state} words={words} />
          {words}
          {isBetter !== null && (
            <span className={classes.judged}>{isBetter ? 'better' : 'worse'}</span>
          )}
        </span>
      </Tooltip>
      {explanation !== null && <span className={classes.explanation}>{explanation}</span>}
    </span>
  );
}

function PairIcon({ state, words }: Pick<FoundPair, 'state' | 'words'>) {
  const look = { size: 12, stroke: 2.2, 'aria-hidden': true };
  if (state === 'equivalent') return <IconEqual {...look} />;
  if (state === 'cannot_be_told_apart_yet') return <IconQuestionMark {...look} />;
  if (state === 'not_comparable') return <IconMinus {...look} />;
  return words === 'higher' ? <IconArrowUpRight {...look} /> : <IconArrowDownRight {...look} />;
}
