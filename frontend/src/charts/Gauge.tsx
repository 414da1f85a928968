import { formatQuantity, formatTick, scaleOf } from '@/lib/format';
import classes from './Gauge.module.css';

const START = -120;
const SWEEP = 240;
const TICKS = 10;
const R = 80;

interface GaugeProps {
  label: string;
  value: number | null;
  unit: string;
  /** End of the scale. */
  end: number;
  colour: string;
}

/** Draws a needle over a scale that starts at zero, with the figure below. */
export function Gauge({ label, value, unit, end, colour }: GaugeProps) {
  const share = value === null ? 0 : Math.min(1, Math.max(0, value / end));
  const angle = START + share * SWEEP;
  const shown = value === null ? null : formatQuantity(value, unit);
  const scale = scaleOf(end, unit);
  return (
    <div className={classes.gauge} role="group" aria-label={label}>
      <div className={classes.label}>{label}</div>
      <div className={classes.dial}>
        <svg viewBox="0 0 200 160" aria-hidden>
          <path className={classes.track} d={ARC} />
          <path
            className={classes.value}
            d={ARC}
            pathLength="1"
            strokeDasharray="1 1"
            style={{ stroke: colour, strokeDashoffset: 1 - share }}
          />
          {Array.from({ length: TICKS + 1 }, (_, i) => (
            <line
              key={i}
              className={classes.tick}
              data-major={i % 5 === 0}
              x1="100"
              x2="100"
              y1={100 - R + 8}
              y2={100 - R + (i % 5 === 0 ? 17 : 13)}
              transform={`rotate(${START + (i / TICKS) * SWEEP} 100 100)`}
            />
          ))}
          <g className={classes.needle} style={{ transform: `rotate(${angle}deg)` }}>
            <path d={`M98.4 110 L99.4 ${100 - R + 12} h1.2 L101.6 110 Z`} />
          </g>
          <circle className={classes.hub} cx="100" cy="100" r="5" />
          <text className={classes.end} x="27" y="157" textAnchor="middle">
            0
          </text>
          <text className={classes.end} x="173" y="157" textAnchor="middle">
            {formatTick(end / scale.factor)}
          </text>
        </svg>
        <div className={classes.reading}>
          <div className={classes.figure}>{shown?.figure ?? '–'}</div>
          <div className={classes.unit}>{shown?.unit ?? unit}</div>
        </div>
      </div>
    </div>
  );
}

const ARC = (() => {
  const point = (degrees: number) => {
    const radians = ((degrees - 90) * Math.PI) / 180;
    return `${(100 + R * Math.cos(radians)).toFixed(2)} ${(100 + R * Math.sin(radians)).toFixed(2)}`;
  };
  return `M${point(START)} A${R} ${R} 0 1 1 ${point(START + SWEEP)}`;
})();
