import { layOutSpark, type SparkPoint } from './spark';
import classes from './Sparkline.module.css';

const [WIDTH, HEIGHT, PAD] = [240, 56, 5];

interface SparklineProps {
  points: readonly SparkPoint[];
  tone: 'good' | 'bad' | 'quiet';
  label: string;
}

/** Draws the points around a change, with the level before and after it. */
export function Sparkline({ points, tone, label }: SparklineProps) {
  if (points.length === 0) return null;
  const { dots, before, after, rule } = layOutSpark(points, WIDTH, HEIGHT, PAD);
  return (
    <svg
      className={classes.spark}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={label}
      data-tone={tone}
    >
      {rule !== null && <line className={classes.rule} x1={rule} x2={rule} y1={0} y2={HEIGHT} />}
      {before && (
        <line
          className={classes.level}
          x1={before.from}
          x2={before.to}
          y1={before.y}
          y2={before.y}
        />
      )}
      {after && (
        <line
          className={classes.level}
          data-after
          x1={after.from}
          x2={after.to}
          y1={after.y}
          y2={after.y}
        />
      )}
      {dots.map((dot) => (
        <circle key={dot.x} data-after={dot.isAfter || undefined} cx={dot.x} cy={dot.y} r={2.2} />
      ))}
    </svg>
  );
}
