import type { Key } from 'react';
import {
  CartesianGrid,
  ErrorBar,
  Line as Stroke,
  LineChart,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { Marker, markerPath } from '@/components/Marker';
import { formatFigure, formatInterval, formatTick, formatValue } from '@/lib/format';
import { seriesColour, seriesDash } from '@/lib/tokens';
import { AXIS, axisLabel, CURSOR, GRID, HEIGHT, valueAxis } from './axes';
import classes from './ChartTooltip.module.css';
import { endsOf, useLabelling } from './end-labels';
import { EndLabels } from './EndLabels';
import { type Curve, type CurveRow, curvesEnd, type Rule, spreadOf, toCurveRows } from './curves';

interface CurveChartProps {
  curves: readonly Curve[];
  /** Unit of the values. */
  unit: string;
  /** Label and unit of the x axis. */
  x: { label: string; unit: string };
  rules?: readonly Rule[];
  height?: number;
}

interface DotProps {
  key?: Key | null | undefined;
  cx?: number;
  cy?: number;
  payload: CurveRow;
}

const TONES = {
  quiet: 'var(--tacho-ink-muted)',
  good: 'var(--tacho-good)',
  bad: 'var(--tacho-bad)',
};

/** Draws values against a number, with whiskers and a tick at each measured x. */
export function CurveChart({ curves, unit, x, rules = [], height = HEIGHT }: CurveChartProps) {
  const rows = toCurveRows(curves);
  const xs = rows.map((row) => row.x);
  const pad = ((xs.at(-1) ?? 1) - (xs[0] ?? 0)) * 0.04;
  const ends = [(xs[0] ?? 0) - pad, (xs.at(-1) ?? 1) + pad] as const;
  const { isDirect, margin } = useLabelling(curves.map(({ name }) => name));
  const named = isDirect ? curves.map((curve) => ({ ...curve, points: curve.dots })) : [];
  return (
    <ResponsiveContainer width="100%" height={height}>
      <LineChart data={rows} margin={margin}>
        <CartesianGrid {...GRID} />
        <XAxis
          {...AXIS}
          dataKey="x"
          type="number"
          domain={[...ends]}
          ticks={xs}
          interval="equidistantPreserveStart"
          minTickGap={12}
          tickFormatter={(value: number) => formatTick(value)}
          label={axisLabel(x.unit === '' ? x.label : `${x.label}, ${x.unit}`)}
        />
        <YAxis {...AXIS} {...valueAxis(curvesEnd(curves, rules), unit)} allowDataOverflow />
        <Tooltip
          cursor={CURSOR}
          isAnimationActive={false}
          content={({ active, payload }) => {
            const row = payload[0]?.payload as CurveRow | undefined;
            return active && row ? (
              <CurveTooltip row={row} curves={curves} unit={unit} x={x} />
            ) : null;
          }}
        />
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
        {curves.map((curve) => (
          <Stroke
            key={curve.id}
            dataKey={(row: CurveRow) => row.dots[curve.id]?.y}
            name={curve.name}
            stroke={seriesColour(curve.colour)}
            strokeDasharray={curve.dash ?? seriesDash(curve.colour)}
            strokeWidth={1.75}
            isAnimationActive={false}
            connectNulls
            activeDot={false}
            dot={({ key, cx, cy, payload }: DotProps) => (
              <CurveMarker key={key} cx={cx} cy={cy} curve={curve} row={payload} />
            )}
          >
            <ErrorBar
              dataKey={(row: unknown) => spreadOf((row as CurveRow).dots[curve.id])}
              width={5}
              strokeWidth={1}
              stroke={seriesColour(curve.colour)}
              isAnimationActive={false}
            />
          </Stroke>
        ))}
        <EndLabels ends={endsOf(named)} isDirect={isDirect} isMarked={false} />
      </LineChart>
    </ResponsiveContainer>
  );
}

interface CurveMarkerProps {
  cx: number | undefined;
  cy: number | undefined;
  curve: Curve;
  row: CurveRow;
}

function CurveMarker({ cx, cy, curve, row }: CurveMarkerProps) {
  const dot = row.dots[curve.id];
  if (cx === undefined || cy === undefined || dot === undefined || dot.y === null) return null;
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

interface CurveTooltipProps {
  row: CurveRow;
  curves: readonly Curve[];
  unit: string;
  x: { label: string; unit: string };
}

function CurveTooltip({ row, curves, unit, x }: CurveTooltipProps) {
  return (
    <div className={classes.tooltip}>
      <div className={classes.heading}>
        {x.label} {formatFigure(row.x)} {x.unit}
      </div>
      {curves.map(({ id, name, colour }) => {
        const dot = row.dots[id];
        if (dot === undefined || dot.y === null) return null;
        return (
          <div key={id} className={classes.row} data-excluded={dot.hollow ?? false}>
            <Marker colour={colour} size={10} />
            <span>
              {name}
              {dot.note !== undefined && `, ${dot.note}`}
            </span>
            <span className={classes.value}>
              {formatValue(dot.y, unit)} {formatInterval(dot.y, dot.low, dot.high, unit)}
            </span>
          </div>
        );
      })}
    </div>
  );
}
