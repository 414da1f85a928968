import {
  CartesianGrid,
  ErrorBar,
  ResponsiveContainer,
  Scatter,
  ScatterChart as Plot,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { Marker, markerPath } from '@/components/Marker';
import { formatInterval, formatValue } from '@/lib/format';
import { seriesColour } from '@/lib/tokens';
import { AXIS, axisLabel, GRID, HEIGHT, MARGIN, valueAxis } from './axes';
import classes from './ChartTooltip.module.css';

export interface Measured {
  estimate: number;
  low?: number | null;
  high?: number | null;
  unit: string;
}

export interface ScatterDot {
  id: string;
  name: string;
  colour: number;
  excluded: boolean;
  x: Measured;
  y: Measured;
}

interface ScatterChartProps {
  dots: readonly ScatterDot[];
  x: { title: string; unit: string };
  y: { title: string; unit: string };
}

interface Drawn {
  dot: ScatterDot;
  across: number;
  up: number;
  acrossSpread?: [number, number];
  upSpread?: [number, number];
}

/** With more dots, labels would overlap. */
const MOST_LABELS = 6;

/** Draws one metric against another, one dot per result, with both 95 % intervals. */
export function ScatterChart({ dots, x, y }: ScatterChartProps) {
  const drawn = dots.map(toDrawn);
  const end = endOf(dots.map((dot) => dot.x));
  const { label: unit, ...across } = valueAxis(end, x.unit);
  return (
    <ResponsiveContainer width="100%" height={HEIGHT + 60}>
      <Plot margin={{ ...MARGIN, right: 24 }}>
        <CartesianGrid {...GRID} vertical />
        <XAxis
          {...AXIS}
          {...across}
          dataKey="across"
          type="number"
          allowDataOverflow
          height={34}
          label={axisLabel(unit === undefined ? x.title : `${x.title}, ${unit.value}`)}
        />
        <YAxis
          {...AXIS}
          {...valueAxis(endOf(dots.map((dot) => dot.y)), y.unit)}
          dataKey="up"
          type="number"
          allowDataOverflow
        />
        <Tooltip
          isAnimationActive={false}
          cursor={false}
          content={({ active, payload }) => {
            const found = payload[0]?.payload as Drawn | undefined;
            return active && found ? <Reading dot={found.dot} x={x.title} y={y.title} /> : null;
          }}
        />
        {drawn.map((drawn, place) => (
          <Scatter
            key={drawn.dot.id}
            name={drawn.dot.name}
            data={[drawn]}
            isAnimationActive={false}
            shape={({ cx, cy }: { cx?: number; cy?: number }) => (
              <Dot
                cx={cx}
                cy={cy}
                dot={drawn.dot}
                isLabelled={dots.length <= MOST_LABELS}
                isLeft={drawn.across > end / 2}
                isBelow={place % 2 === 1}
              />
            )}
          >
            <ErrorBar dataKey="acrossSpread" direction="x" {...whisker(drawn.dot)} />
            <ErrorBar dataKey="upSpread" direction="y" {...whisker(drawn.dot)} />
          </Scatter>
        ))}
      </Plot>
    </ResponsiveContainer>
  );
}

function toDrawn(dot: ScatterDot): Drawn {
  const across = spread(dot.x);
  const up = spread(dot.y);
  return {
    dot,
    across: dot.x.estimate,
    up: dot.y.estimate,
    ...(across && { acrossSpread: across }),
    ...(up && { upSpread: up }),
  };
}

function spread({ estimate, low, high }: Measured): [number, number] | undefined {
  if (typeof low !== 'number' || typeof high !== 'number') return undefined;
  return [estimate - Math.max(0, low), high - estimate];
}

/** Return the end of an axis. Long whiskers are cut, because scaling to them would flatten the chart. */
function endOf(measured: readonly Measured[]): number {
  const most = Math.max(0, ...measured.map((value) => value.estimate));
  return Math.min(Math.max(most, ...measured.map((value) => value.high ?? 0)), most * 1.6) * 1.08;
}

function whisker(dot: ScatterDot) {
  return { width: 4, strokeWidth: 1, stroke: seriesColour(dot.colour), isAnimationActive: false };
}

interface DotProps {
  cx: number | undefined;
  cy: number | undefined;
  dot: ScatterDot;
  isLabelled: boolean;
  /** Whether the label is left of the dot, so that it stays inside the plot. */
  isLeft: boolean;
  /** Whether the label is below the dot, to avoid the label of its neighbour. */
  isBelow: boolean;
}

function Dot({ cx, cy, dot, isLabelled, isLeft, isBelow }: DotProps) {
  if (cx === undefined || cy === undefined) return null;
  return (
    <g>
      <path
        d={markerPath(dot.colour)}
        transform={`translate(${cx - 6} ${cy - 6})`}
        fill={dot.excluded ? 'var(--tacho-background)' : seriesColour(dot.colour)}
        stroke={dot.excluded ? seriesColour(dot.colour) : 'var(--tacho-background)'}
        strokeWidth="1"
      />
      {isLabelled && (
        <text
          x={cx + (isLeft ? -10 : 10)}
          y={cy + (isBelow ? 16 : -6)}
          textAnchor={isLeft ? 'end' : 'start'}
          fill="var(--tacho-ink)"
          fontSize={12}
        >
          {dot.name}
        </text>
      )}
    </g>
  );
}

function Reading({ dot, x, y }: { dot: ScatterDot; x: string; y: string }) {
  return (
    <div className={classes.tooltip}>
      <div className={classes.row}>
        <Marker colour={dot.colour} size={10} />
        <span>
          {dot.name}
          {dot.excluded && ', excluded'}
        </span>
      </div>
      {(
        [
          [x, dot.x],
          [y, dot.y],
        ] as const
      ).map(([title, { estimate, low, high, unit }]) => (
        <div key={title} className={classes.row}>
          <span>{title}</span>
          <span className={classes.value}>
            {formatValue(estimate, unit)} {formatInterval(estimate, low, high, unit)}
          </span>
        </div>
      ))}
    </div>
  );
}
