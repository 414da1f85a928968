import { formatFigure } from '@/lib/format';
import classes from './RatioCell.module.css';
import type { RankedCell } from './ranking';

/** Draws the ratio to the baseline, such as `1.54× [1.5, 1.6]`, and its word. */
export function RatioCell({
  ratio,
  rank,
  isBaseline,
}: Pick<RankedCell, 'ratio' | 'rank' | 'isBaseline'>) {
  if (isBaseline) return <span className={classes.quiet}>baseline</span>;
  if (ratio === null) return <span className={classes.quiet}>–</span>;
  const { low, high, power } = ratio;
  const seen =
    power === null
      ? 'Only one trial each, so there is no interval.'
      : `${rank !== null && ratio.word === null ? 'Tied after correction for all pairs (Holm). ' : ''}Power to detect a true 5 % difference: ${formatFigure(power)}.`;
  return (
    <span title={seen}>
      {formatFigure(ratio.ratio)}×{' '}
      {low !== null && high !== null && (
        <span className={classes.quiet}>
          [{formatFigure(low)}, {formatFigure(high)}]
        </span>
      )}
      {ratio.word !== null && (
        <span className={classes.word} data-word={ratio.word}>
          {ratio.word}
        </span>
      )}
    </span>
  );
}
