import { useId } from 'react';
import { seriesColour } from '@/lib/tokens';
import classes from './IntervalBar.module.css';

interface IntervalBarProps {
  estimate: number;
  low: number | null | undefined;
  high: number | null | undefined;
  /** End of the scale, shared by all bars of the table; the scale starts at 0. */
  end: number;
  /** Range within which a difference may be noise. */
  band?: readonly [number, number] | null;
  colour: number;
  /** Excluded by a verdict: hatched, because it is no number to rank. */
  excluded: boolean;
  /** Whether the true value is at least the estimate: the end of the bar is open. */
  isBound?: boolean | undefined;
}

/** Draws a bar from zero with a whisker for its interval; an arrow replaces the end mark of a whisker that continues beyond the scale, and two arrows the end of a bar that is only a bound. The number itself is next to it. */
export function IntervalBar({
  estimate,
  low,
  high,
  end,
  band,
  colour,
  excluded,
  isBound = false,
}: IntervalBarProps) {
  const id = useId();
  const share = (value: number) => Math.min(100, (value / end) * 100);
  const at = (value: number) => `${share(value)}%`;
  const hasInterval = typeof low === 'number' && typeof high === 'number';
  return (
    <svg className={classes.bar} width="100%" height="20" aria-hidden>
      {excluded && (
        <pattern
          id={id}
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect width="2" height="6" fill={seriesColour(colour)} fillOpacity="0.55" />
        </pattern>
      )}
      {band && (
        <rect
          className={classes.band}
          x={at(band[0])}
          y="0"
          width={`${share(band[1]) - share(band[0])}%`}
          height="20"
        />
      )}
      <rect
        x="0"
        y="4"
        width={at(estimate)}
        height="12"
        rx="2"
        fill={excluded ? `url(#${id})` : seriesColour(colour)}
        fillOpacity={excluded ? 1 : 0.85}
      />
      {isBound && (
        <svg x={at(estimate)} y="10" overflow="visible" data-open>
          <path className={classes.open} d="M-13 -7L-7 0L-13 7M-7 -7L-1 0L-7 7" />
        </svg>
      )}
      {hasInterval && !isBound && (
        <g className={classes.whisker}>
          <line x1={at(low)} x2={at(high)} y1="10" y2="10" />
          <line x1={at(low)} x2={at(low)} y1="5.5" y2="14.5" />
          {high <= end ? (
            <line x1={at(high)} x2={at(high)} y1="5.5" y2="14.5" />
          ) : (
            <svg x="100%" y="10" overflow="visible" data-cut>
              <path d="M-6 -4.5L0 0L-6 4.5" />
            </svg>
          )}
        </g>
      )}
    </svg>
  );
}
