import { use } from 'react';
import {
  CartesianGrid,
  LineChart,
  ReferenceArea,
  Line as Stroke,
  ResponsiveContainer,
  XAxis,
  YAxis,
} from 'recharts';
import { formatDateTime, formatInterval, formatValue } from '@/lib/format';
import { seriesColour } from '@/lib/tokens';
import { AXIS, GRID } from './axes';
import { endsOf, useLabelling } from './end-labels';
import { EndLabels } from './EndLabels';
import { DescriptionContext } from './Frame';
import {
  HISTORY_HEIGHT,
  historyLevels,
  isCrowded,
  type HistoryAxis,
  type HistoryDot,
  type HistoryLine,
  type HistoryRow,
  type PlacedLine,
  placePoints,
  splitAtGaps,
} from './history-points';
import { HistoryMark } from './HistoryMark';
import { LANES_HEIGHT, RuleLayer } from './RuleLayer';
import { StripTooltip } from './StripTooltip';
import { Whiskers } from './Whiskers';

export type { HistoryAxis, HistoryDot, HistoryLine };

interface HistoryChartProps {
  lines: readonly HistoryLine[];
  unit: string;
  /** The period that is shown. */
  from: number;
  to: number;
  /** By time, or with all runs at equal distances. */
  axis?: HistoryAxis;
  height?: number;
  onSelect: (runId: string) => void;
}

interface DotProps {
  /** Null where the line has no value. */
  cx?: number | null;
  cy?: number | null;
  payload: HistoryRow;
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric' });
const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY_MS = 86_400_000;
/** In a longer period, a day without its year is ambiguous. */
const MOST_DAYS = 330;

/** Draws every run of a series, with interval whiskers and a link to each run. `HistoryRules` supplies the vertical rules. */
export function HistoryChart({
  lines: all,
  unit,
  from,
  to,
  axis = 'time',
  height = HISTORY_HEIGHT,
  onSelect,
}: HistoryChartProps) {
  const { lines, rows, domain, placeOf, timeOf } = placePoints(all, { from, to, axis });
  const dots = lines.flatMap((line) => line.dots);
  const upward = historyLevels(dots, unit);
  const label = labelOf((to - from) / DAY_MS);
  const isDense = isCrowded(dots);
  const { isDirect, margin } = useLabelling(all.map((line) => line.label));
  const whiskers = isDense ? [] : whiskersOf(lines);
  const description = use(DescriptionContext);
  return (
    <ResponsiveContainer width="100%" height={height}>
      <LineChart data={[...rows]} margin={{ ...margin, top: LANES_HEIGHT }} {...description}>
        <CartesianGrid {...GRID} />
        <XAxis
          {...AXIS}
          dataKey="x"
          type="number"
          scale={axis === 'time' ? 'time' : 'linear'}
          domain={domain}
          allowDataOverflow
          allowDecimals={false}
          tickFormatter={(x: number) => showTime(timeOf(x), label)}
          minTickGap={32}
        />
        <YAxis {...AXIS} {...upward} allowDataOverflow />
        {lines.map(({ id, band, colour }) =>
          band === null ? null : (
            <ReferenceArea
              key={id}
              y1={band.low}
              y2={band.high}
              fill={seriesColour(colour)}
              fillOpacity={0.1}
              ifOverflow="hidden"
            />
          ),
        )}
        <RuleLayer from={from} to={to} placeOf={placeOf} />
        <StripTooltip<HistoryRow> read={(row) => readRow(row, lines, unit)} />
        <Whiskers whiskers={whiskers} domain={upward.domain} />
        {strokesOf(lines).map(({ id, line, cells, isJoined }) => (
          <Stroke
            key={id}
            dataKey={(row: HistoryRow) => {
              const dot = row.points[line.id];
              return dot !== undefined && cells.has(dot.cellId) ? dot.estimate : null;
            }}
            stroke={isJoined ? seriesColour(line.colour) : 'none'}
            strokeWidth={isDense ? 1 : 1.5}
            strokeOpacity={isDense ? 0.5 : 1}
            strokeDasharray={line.dash}
            connectNulls
            isAnimationActive={false}
            dot={({ cx, cy, payload }: DotProps) => (
              <HistoryMark
                key={`${id} ${payload.x}`}
                cx={cx}
                cy={cy}
                dot={payload.points[line.id]}
                colour={line.colour}
                isSmall={isDense}
                onSelect={onSelect}
              />
            )}
            activeDot={false}
          />
        ))}
        <EndLabels ends={isDirect ? namesOf(lines) : []} isDirect={isDirect} isMarked={false} />
      </LineChart>
    </ResponsiveContainer>
  );
}

function labelOf(days: number): Intl.DateTimeFormat {
  if (days > MOST_DAYS) return MONTH;
  return days > 2 ? DAY : HOUR;
}

function showTime(at: number, format: Intl.DateTimeFormat): string {
  return Number.isNaN(at) ? '' : format.format(at);
}

function whiskersOf(lines: readonly PlacedLine[]) {
  return lines.flatMap(({ colour, dots }) =>
    dots.map(({ cellId, x, estimate, low, high }) => ({
      id: cellId,
      x,
      y: estimate,
      low,
      high,
      colour,
    })),
  );
}

/** Return the parts of each line. No part crosses a gap, and excluded results are not joined. */
function strokesOf(lines: readonly PlacedLine[]) {
  return lines.flatMap((line) => {
    const valid = line.dots.filter((dot) => !dot.excluded);
    const excluded = line.dots.filter((dot) => dot.excluded);
    const parts = splitAtGaps(valid).map((part, index) => ({
      id: `${line.id} part ${index}`,
      line,
      cells: new Set(part.map(({ cellId }) => cellId)),
      isJoined: true,
    }));
    if (excluded.length === 0) return parts;
    const cells = new Set(excluded.map(({ cellId }) => cellId));
    return [...parts, { id: `${line.id} excluded`, line, cells, isJoined: false }];
  });
}

/** Return the last valid point of each line, where its name is drawn. */
function namesOf(lines: readonly PlacedLine[]) {
  return endsOf(
    lines.map(({ dots, label: name, ...line }) => ({
      ...line,
      name,
      points: dots.flatMap((dot) => (dot.excluded ? [] : [{ x: dot.x, y: dot.estimate }])),
    })),
  );
}

/** Return the values of all lines in the run at the pointer. */
function readRow(row: HistoryRow | null, lines: readonly PlacedLine[], unit: string) {
  const [first] = row ? Object.values(row.points) : [];
  return {
    heading: first ? formatDateTime(new Date(first.at).toISOString()) : null,
    isRoomy: true,
    readings: lines.map(({ id, label: name, colour, dash }) => {
      const dot = row?.points[id];
      if (dot === undefined) return { id, name, colour, dash, value: '' };
      const interval = formatInterval(dot.estimate, dot.low, dot.high, unit) ?? 'no interval';
      return {
        id,
        name,
        colour,
        dash,
        excluded: dot.excluded,
        value: formatValue(dot.estimate, unit),
        detail: `${interval}, n = ${dot.n}`,
      };
    }),
  };
}
