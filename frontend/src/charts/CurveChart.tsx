import { type Key, use } from 'react';
import {
  CartesianGrid,
  Line as Stroke,
  LineChart,
  ReferenceLine,
  ResponsiveContainer,
  XAxis,
  YAxis,
} from 'recharts';
import { markerPath } from '@/components/Marker';
import { formatFigure, formatInterval, formatValue } from '@/lib/format';
import { seriesColour } from '@/lib/tokens';
import { AXIS, GRID, HEIGHT, numberAxis, valueAxis } from './axes';
import { endsOf, useLabelling } from './end-labels';
import { EndLabels } from './EndLabels';
import { DescriptionContext } from './Frame';
import { type Curve, type CurveDot, curveLevels, type Rule, whiskersOf, xsOf } from './curves';
import { pivot, type PivotRow } from './pivot';
import { type Extent, extentOf } from './scales';
import { StripTooltip } from './StripTooltip';
import { Whiskers } from './Whiskers';

interface CurveChartProps {
  curves: readonly Curve[];
  /** Unit of the values. */
  unit: string;
  /** Label and unit of the x axis. */
  x: { label: string; unit: string };
  rules?: readonly Rule[];
  height?: number;
  /** The scales that small multiples share; by default those of the curves. */
  scales?: { extent: Extent; xs: readonly number[] };
}

interface DotProps {
  key?: Key | null | undefined;
  /** Null where the curve has no value. */
  cx?: number | null;
  cy?: number | null;
  payload: CurveRow;
}

type CurveRow = PivotRow<CurveDot>;

const TONES = {
  quiet: 'var(--tacho-ink-muted)',
  good: 'var(--tacho-good)',
  bad: 'var(--tacho-bad)',
};

/** Draws values against a number, with whiskers and a tick at each measured x. */
export function CurveChart({
  curves,
  unit,
  x,
  rules = [],
  height = HEIGHT,
  scales,
}: CurveChartProps) {
  const rows = pivot(curves.map(({ id, dots }) => ({ id, points: dots })));
  const upward = valueAxis(scales?.extent ?? extentOf(curveLevels(curves, rules)), unit);
  const { isDirect, margin } = useLabelling(scales ? [] : curves.map(({ name }) => name));
  const named = isDirect ? curves.map((curve) => ({ ...curve, points: curve.dots })) : [];
  const whiskers = whiskersOf(curves);
  const description = use(DescriptionContext);
  return (
    <ResponsiveContainer width="100%" height={height}>
      <LineChart data={rows} margin={margin} {...description}>
        <CartesianGrid {...GRID} />
        <XAxis {...AXIS} dataKey="x" {...numberAxis(scales?.xs ?? xsOf(curves), x)} />
        <YAxis {...AXIS} {...upward} allowDataOverflow />
        <StripTooltip<CurveRow> read={(row) => readCurves(row, curves, unit, x)} />
        {rules.map((rule) => (
          <ReferenceLine
            key={`${rule.axis} ${rule.label}`}
            {...(rule.axis === 'x' ? { x: rule.at } : { y: rule.at })}
            stroke={TONES[rule.tone]}
            strokeDasharray="4 3"
            label={{
              value: rule.label,
              position: rule.axis === 'x' ? 'insideTopRight' : 'insideTopLeft',
              // Two rules may be close together.
              offset: rule.tone === 'quiet' ? 20 : 5,
              fill: TONES[rule.tone],
              fontSize: 12,
            }}
          />
        ))}
        <Whiskers whiskers={whiskers} domain={upward.domain} />
        {curves.map((curve) => (
          <Stroke
            key={curve.id}
            dataKey={(row: CurveRow) => row.points[curve.id]?.y}
            name={curve.name}
            stroke={seriesColour(curve.colour)}
            strokeDasharray={curve.dash}
            strokeWidth={1.75}
            isAnimationActive={false}
            connectNulls
            activeDot={false}
            dot={({ key, cx, cy, payload }: DotProps) => (
              <CurveMarker key={key} cx={cx} cy={cy} curve={curve} row={payload} />
            )}
          />
        ))}
        <EndLabels ends={endsOf(named)} isDirect={isDirect} isMarked={false} />
      </LineChart>
    </ResponsiveContainer>
  );
}

interface CurveMarkerProps {
  cx: number | null | undefined;
  cy: number | null | undefined;
  curve: Curve;
  row: CurveRow;
}

function CurveMarker({ cx, cy, curve, row }: CurveMarkerProps) {
  const dot = row.points[curve.id];
  if (typeof cx !== 'number' || typeof cy !== 'number' || typeof dot?.y !== 'number') return null;
  return (
    <>
      {dot.ringed && (
        <circle
          cx={cx}
          cy={cy}
          r={10}
          fill="none"
          stroke={seriesColour(curve.colour)}
          strokeWidth={1.5}
        />
      )}
      <path
        d={markerPath(curve.colour)}
        transform={`translate(${cx - 5} ${cy - 5}) scale(0.84)`}
        fill={dot.hollow ? 'var(--tacho-background)' : seriesColour(curve.colour)}
        stroke={dot.hollow ? seriesColour(curve.colour) : 'var(--tacho-background)'}
        strokeWidth={dot.hollow ? 1.5 : 1}
      />
    </>
  );
}

/** Return the values of all curves at one x. */
function readCurves(
  row: CurveRow | null,
  curves: readonly Curve[],
  unit: string,
  x: { label: string; unit: string },
) {
  const readings = curves.map(({ id, name, colour, dash }) => {
    const dot = row?.points[id];
    const look = { id, name, colour, dash };
    if (dot === undefined || dot.y === null) return { ...look, value: '' };
    return {
      ...look,
      excluded: dot.hollow,
      name: dot.note === undefined ? name : `${name}, ${dot.note}`,
      value: formatValue(dot.y, unit),
      detail: formatInterval(dot.y, dot.low, dot.high, unit) ?? undefined,
    };
  });
  const heading = row && `${x.label} ${formatFigure(row.x)} ${x.unit}`.trim();
  return { heading, readings };
}
