import { formatFigure } from '@/lib/format';
import { formatComparison } from '@/lib/ratio';
import classes from './RatioCell.module.css';
import type { RankedCell } from './ranking';

/** Draws the ratio to the baseline, such as `1.54× [1.5, 1.6]`, and its word. */
export function RatioCell({ ratio, isBaseline }: Pick<RankedCell, 'ratio' | 'isBaseline'>) {
  if (isBaseline) return <span className={classes.quiet}>baseline</span>;
  if (ratio === null) return <span className={classes.quiet}>–</span>;
  const { figure, interval } = formatComparison(ratio);
  const seen =
    interval === null
      ? 'Fewer than three trials, so there is no interval.'
      : `The interval allows for all pairs of the ranking (Holm).${power(ratio.power)}`;
  return (
    <span title={seen}>
      {figure} {interval !== null && <span className={classes.quiet}>{interval}</span>}
      {ratio.word !== null && (
        <span className={classes.word} data-word={ratio.word}>
          {ratio.word}
        </span>
      )}
    </span>
  );
}

function power(share: number | null): string {
  return share === null ? '' : ` Power to detect a true 5 % difference: ${formatFigure(share)}.`;
}
