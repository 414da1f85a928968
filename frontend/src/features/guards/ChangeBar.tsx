import type { GuardedMetric } from '@/api/schema';
import classes from './ChangeBar.module.css';
import { formatShare, isNumber, isWithinAxis, limitRatio } from './changes';

interface ChangeBarProps {
  change: GuardedMetric;
  direction: 'lower' | 'higher';
  /** End of the axis, shared by all bars of the page; 0 % is in its middle. */
  end: number;
}

/** Draws a change as a point with its interval. Changes beyond the limit are shaded. An arrow replaces the mark of an end beyond the axis. The numbers are next to it. */
export function ChangeBar({ change, direction, end }: ChangeBarProps) {
  const { ratio, low, high, limit, state } = change;
  const share = (value: number) => 50 + 50 * Math.max(-1, Math.min(1, (value - 1) / end));
  const at = (value: number) => `${share(value)}%`;
  const isWithin = (value: number) => isWithinAxis(value, end);
  const worst = limitRatio(limit, direction);
  return (
    <svg className={classes.bar} width="100%" height="20" data-state={state} aria-hidden>
      <rect
        className={classes.beyond}
        x={direction === 'lower' ? at(worst) : '0'}
        y="0"
        width={`${direction === 'lower' ? 100 - share(worst) : share(worst)}%`}
        height="20"
      />
      <line className={classes.limit} x1={at(worst)} x2={at(worst)} y1="0" y2="20" />
      <line className={classes.zero} x1="50%" x2="50%" y1="0" y2="20" />
      {isNumber(low) && isNumber(high) && (
        <g className={classes.whisker}>
          {/* An interval beyond the axis is a line from the middle to the arrow. */}
          <line
            x1={at(low > 1 && !isWithin(low) ? 1 : low)}
            x2={at(high < 1 && !isWithin(high) ? 1 : high)}
            y1="10"
            y2="10"
          />
          <End at={at(low)} isCut={!isWithin(low)} outwards={low < 1 ? -1 : 1} />
          <End at={at(high)} isCut={!isWithin(high)} outwards={high < 1 ? -1 : 1} />
        </g>
      )}
      {isNumber(ratio) && isWithin(ratio) && (
        <circle className={classes.point} cx={at(ratio)} cy="10" r="3.5" />
      )}
    </svg>
  );
}

function End({ at, isCut, outwards }: { at: string; isCut: boolean; outwards: -1 | 1 }) {
  if (!isCut) return <line x1={at} x2={at} y1="4.5" y2="15.5" />;
  return (
    <svg x={at} y="10" overflow="visible" data-cut>
      <path d={`M${-6 * outwards} -4.5L0 0L${-6 * outwards} 4.5`} />
    </svg>
  );
}

/** Draws the ends and the middle of the axis. */
export function ChangeAxis({ end }: { end: number }) {
  return (
    <span className={classes.axis} aria-hidden>
      <span>−{formatShare(end)}</span>
      <span>0</span>
      <span>+{formatShare(end)}</span>
    </span>
  );
}
