import type { Pair } from '@/api/comparisons';
import { WordBadge } from '@/components/WordBadge';
import { formatComparison } from '@/lib/ratio';
import classes from './RatioText.module.css';

interface RatioTextProps {
  /** Null for the baseline itself. */
  pair: Pair | null;
  /** Whether this result is excluded. */
  excluded: boolean;
  metric: string;
  /** Whether the place around it shows already that the result is excluded or not comparable. */
  isExplained?: boolean;
}

/** Shows `0.61× [0.59, 0.63] faster`; without a word if the results are not comparable. */
export function RatioText({ pair, excluded, metric, isExplained = false }: RatioTextProps) {
  if (pair === null) {
    return <span className={classes.quiet}>1× baseline{excluded && ', excluded'}</span>;
  }
  const found = pair.ratios[metric];
  if (found === undefined) return <span className={classes.quiet}>no ratio</span>;
  const { word, power, method, n } = found;
  const { figure, interval } = formatComparison(found);
  const basis =
    method === 'paired' ? `${n} pairs of trials of one run` : `Independent trials, Welch’s t`;
  return (
    <span className={classes.ratio} data-judged={word !== null}>
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
      {word !== null && (
        <WordBadge word={word} power={power} hasInterval={interval !== null} basis={basis} />
      )}
      {word === null && !isExplained && (
        <Unjudged comparability={pair.comparability} excluded={excluded} />
      )}
    </span>
  );
}

/** Draws nothing if only the baseline is excluded, because the baseline shows it. */
function Unjudged({
  comparability,
  excluded,
}: {
  comparability: Pair['comparability'];
  excluded: boolean;
}) {
  if (comparability !== 'incomparable' && !excluded) return null;
  return (
    <span className={classes.unjudged}>
      {comparability === 'incomparable' ? 'not comparable' : 'excluded'}
    </span>
  );
}
