import { formatFigure } from '@/lib/format';
import classes from './RatioCell.module.css';
import type { RankedCell } from './ranking';

/** A cell over the baseline: `1.54× [1.5, 1.6]` and what may be said of it. */
export function RatioCell({
  ratio,
  place,
  isBaseline,
}: Pick<RankedCell, 'ratio' | 'place' | 'isBaseline'>) {
  if (isBaseline) return <span className={classes.quiet}>baseline</span>;
  if (ratio === null) return <span className={classes.quiet}>–</span>;
  const { low, high, power } = ratio;
  const seen =
    power === null
      ? 'One trial each: there is no interval.'
      : `${place !== null && ratio.word === null ? 'They tie once all pairs count (Holm-corrected). ' : ''}Trials as many and as noisy as these would find a true 5 % with probability ${formatFigure(power)}.`;
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
