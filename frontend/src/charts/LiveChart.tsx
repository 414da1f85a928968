import { formatTick, scaleOf } from '@/lib/format';
import classes from './LiveChart.module.css';
import { drawPaths, LIVE_SECONDS } from './live-paths';
import { niceCeiling, type Point } from './series';

interface LiveChartProps {
  label: string;
  points: readonly Point[];
  unit: string;
  colour: string;
}

/**
 * Draws the last 60 seconds of one quantity. It is drawn every second, perhaps on the bench host,
 * so it consists of two paths and has no cursor.
 */
export function LiveChart({ label, points, unit, colour }: LiveChartProps) {
  const last = points.at(-1)?.x ?? 0;
  const start = Math.max(points[0]?.x ?? 0, last - LIVE_SECONDS + 1);
  const shown = points.filter((point) => point.x >= start);
  const peak = niceCeiling(Math.max(...shown.map((point) => point.y ?? 0), 0));
  const scale = scaleOf(peak, unit).factor;
  const { line, area } = drawPaths(shown, start, peak);
  return (
    <div
      className={classes.chart}
      role="img"
      aria-label={`${label}, last 60 seconds`}
      data-points={points.length}
    >
      <div className={classes.ticks}>
        {[peak, peak / 2, 0].map((tick) => (
          <span key={tick}>{formatTick(tick / scale)}</span>
        ))}
      </div>
      <svg viewBox={`0 0 ${LIVE_SECONDS - 1} 1`} preserveAspectRatio="none">
        {start < 0 && (
          <rect className={classes.warmUp} width={Math.min(0, last) - start} height={1} />
        )}
        <path className={classes.grid} d={`M0 0H${LIVE_SECONDS}M0 .5H${LIVE_SECONDS}`} />
        <path d={area} fill={colour} fillOpacity={0.12} />
        <path className={classes.line} d={line} stroke={colour} />
        <path className={classes.axis} d={`M0 1H${LIVE_SECONDS}`} />
      </svg>
    </div>
  );
}
