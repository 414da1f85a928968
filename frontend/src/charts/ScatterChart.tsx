import { use } from 'react';
import {
  CartesianGrid,
  ResponsiveContainer,
  Scatter,
  ScatterChart as Plot,
  XAxis,
  YAxis,
} from 'recharts';
import { markerPath } from '@/components/Marker';
import { formatEstimate } from '@/lib/format';
import { seriesColour } from '@/lib/tokens';
import { AXIS, axisLabel, GRID, MARGIN, SCATTER_HEIGHT, valueAxis } from './axes';
import { extentOf, type Level } from './scales';
import { DescriptionContext } from './Frame';
import { StripTooltip } from './StripTooltip';
import { Whiskers } from './Whiskers';

export interface Measured extends Level {
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
}

/** With more dots, labels would overlap. */
const MOST_LABELS = 6;

/** Draws one metric against another, one dot per result, with both 95 % intervals. */
export function ScatterChart({ dots, x, y }: ScatterChartProps) {
  const { label, ...across } = valueAxis(extentOf(dots.map((dot) => dot.x)), x.unit);
  const upward = valueAxis(extentOf(dots.map((dot) => dot.y)), y.unit);
  const middle = middleOf(across.domain, across.scale === 'log');
  const description = use(DescriptionContext);
  return (
    <ResponsiveContainer width="100%" height={SCATTER_HEIGHT}>
      <Plot margin={{ ...MARGIN, right: 28 }} {...description}>
        <CartesianGrid {...GRID} vertical />
        <XAxis
          {...AXIS}
          {...across}
          dataKey="across"
          type="number"
          interval="preserveStartEnd"
          allowDataOverflow
          height={34}
          label={axisLabel(label === undefined ? x.title : `${x.title}, ${label.value}`)}
        />
        <YAxis {...AXIS} {...upward} dataKey="up" type="number" allowDataOverflow />
        <StripTooltip<Drawn>
          hasCursor={false}
          read={(drawn) => readDots(drawn?.dot ?? null, dots, x, y)}
        />
        <Whiskers
          direction="x"
          domain={across.domain}
          whiskers={dots.map((dot) => whisker(dot, dot.x))}
        />
        <Whiskers domain={upward.domain} whiskers={dots.map((dot) => whisker(dot, dot.y))} />
        {dots.map((dot, place) => (
          <Scatter
            key={dot.id}
            name={dot.name}
            data={[{ dot, across: dot.x.estimate, up: dot.y.estimate } satisfies Drawn]}
            isAnimationActive={false}
            shape={({ cx, cy }: { cx?: number; cy?: number }) => (
              <Dot
                cx={cx}
                cy={cy}
                dot={dot}
                isLabelled={dots.length <= MOST_LABELS}
                isLeft={dot.x.estimate > middle}
                isBelow={place % 2 === 1}
              />
            )}
          />
        ))}
      </Plot>
    </ResponsiveContainer>
  );
}

function middleOf([first, last]: readonly [number, number], isLog: boolean): number {
  return isLog ? Math.sqrt(first * last) : (first + last) / 2;
}

function whisker({ id, colour, x, y }: ScatterDot, { low, high }: Measured) {
  return { id, colour, x: x.estimate, y: y.estimate, low, high };
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

/** Return both values of the dot at the pointer, and the names of all dots. */
function readDots(
  pointed: ScatterDot | null,
  dots: readonly ScatterDot[],
  x: { title: string },
  y: { title: string },
) {
  const heading =
    pointed &&
    `${pointed.name}: ${x.title} ${formatEstimate(pointed.x)}, ${y.title} ${formatEstimate(pointed.y)}`;
  return { heading, readings: dots.map((dot) => ({ ...dot, value: '' })) };
}
