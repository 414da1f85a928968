import { type Key, use } from 'react';
import {
  CartesianGrid,
  Line as Stroke,
  LineChart,
  ResponsiveContainer,
  XAxis,
  YAxis,
} from 'recharts';
import { formatValue } from '@/lib/format';
import { seriesColour } from '@/lib/tokens';
import { AXIS, axisLabel, FAINT, GRID, HEIGHT, valueAxis } from './axes';
import { endsOf, useLabelling } from './end-labels';
import { EndLabels } from './EndLabels';
import { DescriptionContext } from './Frame';
import { LineMarker } from './LineMarker';
import { type ChartFloor, floorBand } from './floorBand';
import { pivot, type PivotRow } from './pivot';
import { extentOf } from './scales';
import { type Line, lineLevels, NAMED_QUANTILES, type Point, quantileName } from './series';
import { StripTooltip } from './StripTooltip';

type Row = PivotRow<Point>;

interface DotProps {
  key?: Key | null | undefined;
  cx?: number;
  cy?: number;
  payload: Row;
}

interface TailChartProps {
  lines: readonly Line[];
  /** p99 of the load generator itself, ms. */
  floor?: ChartFloor | undefined;
}

/** Draws latency by percentile. x = 1 / (1 − q) on a log axis gives the tail more room. */
export function TailChart({ lines, floor }: TailChartProps) {
  const rows = pivot(lines);
  const end = Math.max(100, rows.at(-1)?.x ?? 100);
  const ticks = NAMED_QUANTILES.filter(({ x }) => x <= end);
  const marked = new Set(ticks.map(({ x }) => nearest(rows, x)));
  const names = new Map(ticks.map(({ x, label }) => [x, label]));
  const { isDirect, margin } = useLabelling(lines.map(({ name }) => name));
  const upward = valueAxis(extentOf(lineLevels(lines)), 'ms');
  const description = use(DescriptionContext);
  return (
    <ResponsiveContainer width="100%" height={HEIGHT}>
      <LineChart data={rows} margin={margin} {...description}>
        <CartesianGrid {...GRID} vertical />
        <XAxis
          {...AXIS}
          dataKey="x"
          type="number"
          scale="log"
          domain={[1, end]}
          ticks={ticks.map(({ x }) => x)}
          tickFormatter={(x: number) => names.get(x) ?? ''}
          label={axisLabel('percentile (log axis)')}
          interval="preserveStartEnd"
        />
        <YAxis {...AXIS} {...upward} />
        <StripTooltip<Row> read={(row) => readLines(row, lines)} />
        {floor !== undefined && floorBand(floor, upward.domain)}
        {lines.map((line) => (
          <Stroke
            key={line.id}
            dataKey={(row: Row) => row.points[line.id]?.y}
            name={line.name}
            stroke={seriesColour(line.colour)}
            strokeDasharray={line.dash}
            strokeWidth={1.75}
            strokeOpacity={line.excluded ? FAINT : 1}
            dot={({ key, cx, cy, payload }: DotProps) =>
              marked.has(payload.x) ? (
                <LineMarker key={key} cx={cx} cy={cy} colour={line.colour} />
              ) : null
            }
            activeDot={{ r: 2.5 }}
            isAnimationActive={false}
            connectNulls
          />
        ))}
        <EndLabels ends={endsOf(lines)} isDirect={isDirect} />
      </LineChart>
    </ResponsiveContainer>
  );
}

/** Return the x of the row closest to a named quantile. */
function nearest(rows: readonly Row[], x: number): number {
  const distance = (row: Row) => Math.abs(Math.log(row.x) - Math.log(x));
  return rows.reduce<Row>((best, row) => (distance(row) < distance(best) ? row : best), {
    x: 1,
    points: {},
  }).x;
}

/** Return the values of all lines at one percentile. */
function readLines(row: Row | null, lines: readonly Line[]) {
  return {
    heading: row && quantileName(row.x),
    readings: lines.map((line) => {
      const value = row?.points[line.id]?.y ?? null;
      return { ...line, value: value === null ? '' : formatValue(value, 'ms') };
    }),
  };
}
