import { Tooltip } from '@mantine/core';
import {
  IconArrowDownRight,
  IconArrowUpRight,
  IconEqual,
  IconQuestionMark,
} from '@tabler/icons-react';
import classes from './WordBadge.module.css';

export type ShownWord = 'faster' | 'slower' | 'equivalent' | 'inconclusive';

const LOOKS = {
  faster: { icon: IconArrowUpRight, means: 'The whole confidence interval is on the better side.' },
  slower: {
    icon: IconArrowDownRight,
    means: 'The whole confidence interval is on the worse side.',
  },
  equivalent: {
    icon: IconEqual,
    means: 'The whole confidence interval is within the margin of equivalence.',
  },
  inconclusive: {
    icon: IconQuestionMark,
    means: 'The difference is not significant, or too small to detect on this host.',
  },
} as const;

const UNDECIDED = 'no significant difference';

interface WordBadgeProps {
  word: ShownWord;
  /** Probability that these trials detect a true 5 % difference; null if it is not known. */
  power: number | null | undefined;
  /** False with too few trials for an interval. */
  hasInterval: boolean;
  /** `5 pairs of one run`. */
  basis: string;
}

/**
 * Shows the result of a comparison in words of the closed list.
 *
 * `inconclusive` from enough trials reads `no significant difference`, as in the sentences, and shows
 * the power of the test.
 */
export function WordBadge({ word, power, hasInterval, basis }: WordBadgeProps) {
  const { icon: Icon, means } = LOOKS[word];
  const hasPower = typeof power === 'number';
  const sees = hasPower
    ? ` These trials would detect a true 5 % difference in ${Math.round(power * 100)} of 100 cases.`
    : hasInterval
      ? ''
      : ' Too few trials for an interval.';
  return (
    <Tooltip label={`${means} ${basis}.${sees}`} events={{ hover: true, focus: true, touch: true }}>
      <span className={classes.badge} data-word={word} tabIndex={0}>
        <Icon size={12} stroke={2.2} aria-hidden />
        {word === 'inconclusive' && hasInterval ? UNDECIDED : word}
        {word === 'inconclusive' && (hasPower || !hasInterval) && (
          <span className={classes.power}>
            {hasPower ? `power ${Math.round(power * 100)} %` : 'too few trials'}
          </span>
        )}
      </span>
    </Tooltip>
  );
}
