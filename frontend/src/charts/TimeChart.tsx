import type { Key } from 'react';
import {
  CartesianGrid,
  Line as Stroke,
  LineChart,
  ReferenceArea,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { seriesColour, seriesDash } from '@/lib/tokens';
import { AXIS, axisLabel, CURSOR, FAINT, GRID, HEIGHT, MARGIN, mostOf, valueAxis } from './axes';
import { ChartTooltip } from './ChartTooltip';
import { LineMarker } from './LineMarker';
import { floorBand } from './floorBand';
import { decimate, type Line, rangesAt, type Row, toRows } from './series';

const MOST_POINTS = 600;

interface TimeChartProps {
  lines: readonly Line[];
  unit: string;
  /** What the load generator adds by itself, in the lines' unit. */
  floor?: number | undefined;
  /** Charts of one group move one cursor. */
  group: string;
}

interface DotProps {
  key?: Key | null | undefined;
  index: number;
  cx?: number;
  cy?: number;
}

/** Lines over the seconds of a trial; warm-up lies left of 0, shaded. */
export function TimeChart({ lines, unit, floor, group }: TimeChartProps) {
  const thin = lines.map((line) => ({ ...line, points: decimate(line.points, MOST_POINTS) }));
  const rows = toRows(thin);
  const first = rows[0]?.x ?? 0;
  const last = rows.at(-1)?.x ?? 0;
  return (
    <ResponsiveContainer width="100%" height={HEIGHT}>
      <LineChart data={rows} margin={MARGIN} syncId={group} syncMethod="value">
        <CartesianGrid {...GRID} />
        {first < 0 && (
          <ReferenceArea x1={first} x2={0} fill="var(--tacho-warm-up)" fillOpacity={1} />
        )}
        {first < 0 && (
          <ReferenceLine
            x={0}
            stroke="var(--tacho-ink-muted)"
            label={{
              value: 'measured from here',
              position: 'insideTopLeft',
              fill: 'var(--tacho-ink-muted)',
              fontSize: 11,
            }}
          />
        )}
        <XAxis
          {...AXIS}
          dataKey="x"
          type="number"
          domain={[first, Math.max(last, first + 1)]}
          label={axisLabel('seconds since measuring began')}
          allowDecimals={false}
        />
        <YAxis {...AXIS} {...valueAxis(mostOf(thin), unit)} />
        <Tooltip
          cursor={CURSOR}
          isAnimationActive={false}
          content={({ active, payload, label }) =>
            active ? (
              <ChartTooltip
                heading={`second ${String(label)}${Number(label) < 0 ? ', warm-up' : ''}`}
                ranges={rangesAt(payload[0]?.payload as Row | undefined, thin)}
                unit={unit}
              />
            ) : null
          }
        />
        {floor !== undefined && floorBand(floor)}
        {thin.map((line) => (
          <Stroke
            key={line.id}
            dataKey={line.id}
            name={line.name}
            stroke={seriesColour(line.colour)}
            strokeDasharray={seriesDash(line.colour)}
            strokeWidth={1.5}
            strokeOpacity={line.barred ? FAINT : 0.85}
            dot={({ key, index, cx, cy }: DotProps) =>
              index === rows.length - 1 ? (
                <LineMarker key={key} cx={cx} cy={cy} colour={line.colour} />
              ) : null
            }
            activeDot={{ r: 2.5 }}
            isAnimationActive={false}
            connectNulls={false}
          />
        ))}
      </LineChart>
    </ResponsiveContainer>
  );
}
