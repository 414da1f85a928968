import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line as Stroke,
  ReferenceArea,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { Marker } from '@/components/Marker';
import { formatValue } from '@/lib/format';
import { seriesColour, seriesDash } from '@/lib/tokens';
import { AXIS, axisLabel, CURSOR, FAINT, GRID, HEIGHT, valueAxis } from './axes';
import { type BandLine, type BandRow, hasRange, highestOf, thinOut, toBandRows } from './bands';
import classes from './ChartTooltip.module.css';
import { endsOf, useLabelling } from './end-labels';
import { EndLabels } from './EndLabels';
import { overheadBand } from './overheadBand';

const MOST_POINTS = 600;

interface TimeChartProps {
  lines: readonly BandLine[];
  unit: string;
  /** Load generator overhead, in the unit of the lines. */
  overhead?: number | undefined;
  /** Charts of one group share a cursor. */
  group: string;
}

/** Draws lines over the seconds of a trial, each with its range. The warm-up is shaded, left of 0. */
export function TimeChart({ lines, unit, overhead, group }: TimeChartProps) {
  const thin = lines.map((line) => ({ ...line, points: thinOut(line.points, MOST_POINTS) }));
  const rows = toBandRows(thin);
  const first = rows[0]?.x ?? 0;
  const last = rows.at(-1)?.x ?? 0;
  const { isDirect, margin } = useLabelling(lines.map(({ name }) => name));
  const ends = endsOf(
    thin.map((line) => ({
      ...line,
      points: line.points.map(({ x, middle }) => ({ x, y: middle })),
    })),
  );
  return (
    <ResponsiveContainer width="100%" height={HEIGHT}>
      <ComposedChart data={rows} margin={margin} syncId={group} syncMethod="value">
        <CartesianGrid {...GRID} />
        {first < 0 && (
          <ReferenceArea x1={first} x2={0} fill="var(--tacho-warm-up)" fillOpacity={1} />
        )}
        {first < 0 && (
          <ReferenceLine
            x={0}
            stroke="var(--tacho-ink-muted)"
            label={{
              value: 'measurement starts',
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
          label={axisLabel('seconds since measurement start')}
          allowDecimals={false}
        />
        <YAxis {...AXIS} {...valueAxis(highestOf(thin), unit)} />
        <Tooltip
          cursor={CURSOR}
          isAnimationActive={false}
          content={({ active, payload }) => {
            const row = payload[0]?.payload as BandRow | undefined;
            return active && row ? <Reading row={row} lines={thin} unit={unit} /> : null;
          }}
        />
        {overhead !== undefined && overheadBand(overhead)}
        {thin.filter(hasRange).map((line) => (
          <Area
            key={`${line.id} range`}
            dataKey={`${line.id} range`}
            stroke="none"
            fill={seriesColour(line.colour)}
            fillOpacity={line.excluded ? 0.06 : 0.16}
            isAnimationActive={false}
            activeDot={false}
          />
        ))}
        {thin.map((line) => (
          <Stroke
            key={line.id}
            dataKey={line.id}
            name={line.name}
            stroke={seriesColour(line.colour)}
            strokeDasharray={line.dash ?? seriesDash(line.colour)}
            strokeWidth={1.75}
            strokeOpacity={line.excluded ? FAINT : 1}
            dot={false}
            activeDot={{ r: 2.5 }}
            isAnimationActive={false}
            connectNulls={false}
          />
        ))}
        <EndLabels ends={ends} isDirect={isDirect} />
      </ComposedChart>
    </ResponsiveContainer>
  );
}

interface ReadingProps {
  row: BandRow;
  lines: readonly BandLine[];
  unit: string;
}

/** Draws the values of all lines at one second, each with its range. */
function Reading({ row, lines, unit }: ReadingProps) {
  return (
    <div className={classes.tooltip}>
      <div className={classes.heading}>
        second {row.x}
        {row.x < 0 && ', warm-up'}
        {lines.some(hasRange) && ': median (range)'}
      </div>
      {lines.map(({ id, name, colour, excluded }) => {
        const middle = row[id];
        const range = row[`${id} range`];
        if (typeof middle !== 'number') return null;
        return (
          <div key={id} className={classes.row} data-excluded={excluded}>
            <Marker colour={colour} size={10} />
            <span>
              {name}
              {excluded && ', excluded'}
            </span>
            <span className={classes.value}>
              {formatValue(middle, unit)}
              {Array.isArray(range) &&
                range[0] !== range[1] &&
                ` (${formatValue(range[0], unit)} – ${formatValue(range[1], unit)})`}
            </span>
          </div>
        );
      })}
    </div>
  );
}
