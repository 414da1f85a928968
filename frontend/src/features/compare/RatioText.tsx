import { Box } from '@mantine/core';
import type { PairOut } from '@/api/schema';
import { PairBadge } from '@/components/PairBadge';
import { splitInterval } from '@/lib/ratio';
import classes from './RatioText.module.css';

interface RatioTextProps {
  /** Null for the baseline itself. */
  pair: PairOut | null;
  /** Whether this result is excluded. */
  excluded: boolean;
  metric: string;
  /** Whether the place around it shows already that the results are not comparable. */
  isExplained?: boolean;
}

/** Shows `0.61× [0.59, 0.63]` and what is known about the pair. */
export function RatioText({ pair, excluded, metric, isExplained = false }: RatioTextProps) {
  if (pair === null) {
    return (
      <Box component="span" c="dimmed">
        1× baseline{excluded && ', excluded'}
      </Box>
    );
  }
  const found = pair.ratios[metric];
  if (found === undefined)
    return (
      <Box component="span" c="dimmed">
        no ratio
      </Box>
    );
  const { figure, interval } = splitInterval(found.text);
  const isComparable = found.state !== 'not_comparable';
  return (
    <span className={classes.ratio} data-comparable={isComparable}>
      <span>
        <span className={classes.figure} title={String(found.ratio ?? found.difference)}>
          {figure}
        </span>{' '}
        {interval !== null && (
          <span
            className={classes.interval}
            title={`95 % confidence interval: ${found.low ?? ''} to ${found.high ?? ''}`}
          >
            {interval}
          </span>
        )}
      </span>
      {(isComparable || !isExplained) && <PairBadge found={found} />}
    </span>
  );
}
