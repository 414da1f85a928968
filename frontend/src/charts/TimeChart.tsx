import { use } from 'react';
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line as Stroke,
  ReferenceArea,
  ReferenceLine,
  ResponsiveContainer,
  XAxis,
  YAxis,
} from 'recharts';
import { formatRange, formatTick, formatValue } from '@/lib/format';
import { seriesColour } from '@/lib/tokens';
import { AXIS, axisLabel, FAINT, GRID, HEIGHT, valueAxis } from './axes';
import { bandLevels, type BandLine, type BandPoint, hasRange } from './bands';
import { type EndLabel, useLabelling } from './end-labels';
import { EndLabels } from './EndLabels';
import { DescriptionContext } from './Frame';
import { type ChartFloor, floorBand } from './floorBand';
import { pivot, type PivotRow } from './pivot';
import { extentOf } from './scales';
import { secondTicks } from './series';
import { StripTooltip } from './StripTooltip';

type Row = PivotRow<BandPoint>;

interface TimeChartProps {
  lines: readonly BandLine[];
  unit: string;
  /** In the unit of the lines. */
  floor?: ChartFloor | undefined;
  /** Charts of one group share a cursor. */
  group: string;
}

/** Draws lines over the seconds of a trial, each with its range. The warm-up is shaded, left of 0. */
export function TimeChart({ lines, unit, floor, group }: TimeChartProps) {
  const rows = pivot(lines);
  const first = rows[0]?.x ?? 0;
  const last = rows.at(-1)?.x ?? 0;
  const upward = valueAxis(extentOf(bandLevels(lines), { hasRanges: true }), unit);
  const { isDirect, margin } = useLabelling(lines.map(({ name }) => name));
  const description = use(DescriptionContext);
  return (
    <ResponsiveContainer width="100%" height={HEIGHT}>
      <ComposedChart data={rows} margin={margin} syncId={group} syncMethod="value" {...description}>
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
          ticks={secondTicks(first, last)}
          tickFormatter={formatTick}
          label={axisLabel('seconds since measurement start')}
          interval="preserveStartEnd"
        />
        <YAxis {...AXIS} {...upward} />
        <StripTooltip<Row> read={(row) => readSecond(row, lines, unit)} />
        {floor !== undefined && floorBand(floor, upward.domain)}
        {lines.filter(hasRange).map((line) => (
          <Area
            key={`${line.id} range`}
            dataKey={(row: Row) => rangeOf(row.points[line.id])}
            stroke="none"
            fill={seriesColour(line.colour)}
            fillOpacity={line.excluded ? 0.06 : 0.16}
            isAnimationActive={false}
            activeDot={false}
          />
        ))}
        {lines.map((line) => (
          <Stroke
            key={line.id}
            dataKey={(row: Row) => row.points[line.id]?.middle}
            name={line.name}
            stroke={seriesColour(line.colour)}
            strokeDasharray={line.dash}
            strokeWidth={1.75}
            strokeOpacity={line.excluded ? FAINT : 1}
            dot={false}
            activeDot={{ r: 2.5 }}
            isAnimationActive={false}
            connectNulls={false}
          />
        ))}
        <EndLabels ends={lastMiddles(lines)} isDirect={isDirect} />
      </ComposedChart>
    </ResponsiveContainer>
  );
}

function rangeOf(point: BandPoint | undefined): [number, number] | null {
  if (point === undefined || point.low === null || point.high === null) return null;
  return [point.low, point.high];
}

/** Return the last known median of each line. */
function lastMiddles(lines: readonly BandLine[]): EndLabel[] {
  return lines.flatMap(({ points, ...line }) => {
    const last = points.findLast(({ middle }) => middle !== null);
    return last === undefined || last.middle === null
      ? []
      : [{ ...line, x: last.x, y: last.middle }];
  });
}

/** Return the values of all lines at one second, each with its range. */
function readSecond(row: Row | null, lines: readonly BandLine[], unit: string) {
  const isRanged = lines.some(hasRange);
  const heading =
    row &&
    `Second ${row.x}${row.x < 0 ? ', warm-up' : ''}${isRanged ? ': median, and range of the trials' : ''}`;
  const readings = lines.map((line) => {
    const point = row?.points[line.id];
    const middle = point?.middle ?? null;
    if (middle === null) return { ...line, value: '' };
    const range = rangeOf(point);
    const hasSpread = range !== null && range[0] !== range[1];
    return {
      ...line,
      value: formatValue(middle, unit),
      detail: hasSpread ? formatRange(middle, range[0], range[1], unit) : undefined,
    };
  });
  return { heading, readings };
}
