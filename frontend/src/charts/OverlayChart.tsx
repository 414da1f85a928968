import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line as Stroke,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { Marker } from '@/components/Marker';
import { formatValue } from '@/lib/format';
import { seriesColour } from '@/lib/tokens';
import { AXIS, axisLabel, CURSOR, FAINT, GRID, HEIGHT, MARGIN, valueAxis } from './axes';
import classes from './ChartTooltip.module.css';

export interface BandPoint {
  x: number;
  low: number | null;
  middle: number | null;
  high: number | null;
}

/** A result over time: its median trial within the range of all its trials. */
export interface BandLine {
  id: string;
  name: string;
  colour: number;
  dash?: string;
  barred: boolean;
  points: readonly BandPoint[];
}

type Row = { x: number } & Record<string, number | [number, number] | null>;

interface OverlayChartProps {
  lines: readonly BandLine[];
  unit: string;
  /** Charts of one group move one cursor. */
  group: string;
}

/** Several results laid over each other by the second since measuring began. */
export function OverlayChart({ lines, unit, group }: OverlayChartProps) {
  const rows = toRows(lines);
  const most = Math.max(0, ...lines.flatMap((line) => line.points.map((point) => point.high ?? 0)));
  return (
    <ResponsiveContainer width="100%" height={HEIGHT}>
      <ComposedChart data={rows} margin={MARGIN} syncId={group} syncMethod="value">
        <CartesianGrid {...GRID} />
        <XAxis
          {...AXIS}
          dataKey="x"
          type="number"
          domain={[0, Math.max(rows.at(-1)?.x ?? 1, 1)]}
          label={axisLabel('seconds since measuring began')}
          allowDecimals={false}
        />
        <YAxis {...AXIS} {...valueAxis(most, unit)} />
        <Tooltip
          cursor={CURSOR}
          isAnimationActive={false}
          content={({ active, label }) =>
            active ? <Reading lines={lines} second={Number(label)} unit={unit} /> : null
          }
        />
        {lines.map((line) => (
          <Area
            key={`${line.id} range`}
            dataKey={`${line.id} range`}
            stroke="none"
            fill={seriesColour(line.colour)}
            fillOpacity={line.barred ? 0.06 : 0.14}
            isAnimationActive={false}
            activeDot={false}
          />
        ))}
        {lines.map((line) => (
          <Stroke
            key={line.id}
            dataKey={line.id}
            name={line.name}
            stroke={seriesColour(line.colour)}
            strokeDasharray={line.dash}
            strokeWidth={1.75}
            strokeOpacity={line.barred ? FAINT : 1}
            dot={false}
            activeDot={{ r: 2.5 }}
            isAnimationActive={false}
          />
        ))}
      </ComposedChart>
    </ResponsiveContainer>
  );
}

function toRows(lines: readonly BandLine[]): Row[] {
  const rows = new Map<number, Row>();
  for (const { id, points } of lines) {
    for (const { x, low, middle, high } of points) {
      const row = rows.get(x) ?? { x };
      row[id] = middle;
      row[`${id} range`] = low === null || high === null ? null : [low, high];
      rows.set(x, row);
    }
  }
  return [...rows.values()].sort((a, b) => a.x - b.x);
}

interface ReadingProps {
  lines: readonly BandLine[];
  second: number;
  unit: string;
}

function Reading({ lines, second, unit }: ReadingProps) {
  return (
    <div className={classes.tooltip}>
      <div className={classes.heading}>second {second}: median, range of trials</div>
      {lines.map(({ id, name, colour, barred, points }) => {
        const point = points.find(({ x }) => x === second);
        if (typeof point?.middle !== 'number' || point.low === null || point.high === null) {
          return null;
        }
        return (
          <div key={id} className={classes.row} data-barred={barred}>
            <Marker colour={colour} size={10} />
            <span>{name}</span>
            <span className={classes.value}>
              {formatValue(point.middle, unit)}
              {point.low !== point.high &&
                ` (${formatValue(point.low, unit)} – ${formatValue(point.high, unit)})`}
            </span>
          </div>
        );
      })}
    </div>
  );
}
