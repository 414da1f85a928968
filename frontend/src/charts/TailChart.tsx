import type { Key } from 'react';
import {
  CartesianGrid,
  Line as Stroke,
  LineChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { seriesColour, seriesDash } from '@/lib/tokens';
import { AXIS, axisLabel, CURSOR, FAINT, GRID, HEIGHT, mostOf, valueAxis } from './axes';
import { ChartTooltip } from './ChartTooltip';
import { endsOf, useLabelling } from './end-labels';
import { EndLabels } from './EndLabels';
import { overheadBand } from './overheadBand';
import { LineMarker } from './LineMarker';
import { type Line, NAMED_QUANTILES, quantileName, rangesAt, type Row, toRows } from './series';

interface DotProps {
  key?: Key | null | undefined;
  cx?: number;
  cy?: number;
  payload: Row;
}

interface TailChartProps {
  lines: readonly Line[];
  /** p99 of the load generator itself, ms. */
  overhead?: number | undefined;
}

/** Draws latency by percentile. x = 1 / (1 − q) on a log axis gives the tail more room. */
export function TailChart({ lines, overhead }: TailChartProps) {
  const rows = toRows(lines);
  const end = Math.max(100, rows.at(-1)?.x ?? 100);
  const ticks = NAMED_QUANTILES.filter(({ x }) => x <= end);
  const marked = new Set(ticks.map(({ x }) => nearest(rows, x)));
  const names = new Map(ticks.map(({ x, label }) => [x, label]));
  const { isDirect, margin } = useLabelling(lines.map(({ name }) => name));
  return (
    <ResponsiveContainer width="100%" height={HEIGHT}>
      <LineChart data={rows} margin={margin}>
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
        <YAxis {...AXIS} {...valueAxis(mostOf(lines), 'ms')} />
        <Tooltip
          cursor={CURSOR}
          isAnimationActive={false}
          content={({ active, payload, label }) =>
            active ? (
              <ChartTooltip
                heading={quantileName(Number(label))}
                ranges={rangesAt(payload[0]?.payload as Row | undefined, lines)}
                unit="ms"
              />
            ) : null
          }
        />
        {overhead !== undefined && overheadBand(overhead)}
        {lines.map((line) => (
          <Stroke
            key={line.id}
            dataKey={line.id}
            name={line.name}
            stroke={seriesColour(line.colour)}
            strokeDasharray={line.dash ?? seriesDash(line.colour)}
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
  return rows.reduce<Row>((best, row) => (distance(row) < distance(best) ? row : best), { x: 1 }).x;
}
