import {
  CartesianGrid,
  ErrorBar,
  LineChart,
  ReferenceArea,
  Line as Stroke,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { markerPath } from '@/components/Marker';
import { formatDateTime, formatInterval, formatValue } from '@/lib/format';
import { seriesColour } from '@/lib/tokens';
import { AXIS, CURSOR, GRID, levelAxis } from './axes';
import classes from './ChartTooltip.module.css';
import { endsOf, useLabelling } from './end-labels';
import { EndLabels } from './EndLabels';
import { RuleLayer } from './RuleLayer';

export interface HistoryDot {
  runId: string;
  cellId: string;
  at: number;
  estimate: number;
  low: number | null;
  high: number | null;
  excluded: boolean;
  n: number;
}

export interface HistoryLine {
  id: string;
  name: string;
  /** Name of the framework. */
  owner: string;
  /** Drawn at the end of the line. */
  label: string;
  colour: number;
  /** Distinguishes lines of one framework. */
  dash: string | undefined;
  /** Range within which points may differ by noise of the host. */
  band: { low: number; high: number } | null;
  dots: readonly HistoryDot[];
}

interface HistoryChartProps {
  lines: readonly HistoryLine[];
  unit: string;
  /** The period that is shown. */
  from: number;
  to: number;
  onSelect: (runId: string) => void;
}

interface Drawn extends HistoryDot {
  /** Name of the line; null when there is only one. */
  line: string | null;
  spread: [number, number];
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY_MS = 86_400_000;

/** With more points, whiskers would hide them. */
const MOST_WHISKERS = 200;
/** With fewer points, the axis includes the whiskers. */
const MANY_POINTS = 5;

/** Draws every run of a series over time, with interval whiskers and a link to each run. `HistoryRules` supplies the vertical rules. */
export function HistoryChart({ lines, unit, from, to, onSelect }: HistoryChartProps) {
  const shown = lines.map((line) => ({
    ...line,
    dots: line.dots.filter((dot) => dot.at >= from && dot.at <= to),
  }));
  const dots = shown.flatMap((line) => line.dots);
  const axis = levelAxis(listLevels(dots), unit);
  const pad = Math.max((to - from) * 0.04, 60_000);
  const label = to - from > 2 * DAY_MS ? DAY : HOUR;
  const hasWhiskers = dots.length <= MOST_WHISKERS;
  const { isDirect, margin } = useLabelling(lines.map((line) => line.label));
  const named = shown.map(({ dots, label: name, ...line }) => ({
    ...line,
    name,
    points: dots.flatMap((dot) => (dot.excluded ? [] : [{ x: dot.at, y: dot.estimate }])),
  }));
  // Excluded results are separate points: no line connects them.
  const strokes = shown.flatMap(({ dots, ...line }) => [
    { ...line, id: `${line.id} joined`, joined: true, dots: dots.filter((dot) => !dot.excluded) },
    { ...line, id: `${line.id} excluded`, joined: false, dots: dots.filter((dot) => dot.excluded) },
  ]);
  const isAlone = lines.length === 1;
  return (
    <ResponsiveContainer width="100%" height={320}>
      <LineChart margin={{ ...margin, top: 36 }}>
        <CartesianGrid {...GRID} />
        <XAxis
          {...AXIS}
          dataKey="at"
          type="number"
          scale="time"
          domain={[from - pad, to + pad]}
          allowDataOverflow
          tickFormatter={(at: number) => label.format(at)}
          minTickGap={32}
        />
        <YAxis {...AXIS} {...axis} allowDataOverflow />
        {shown.map(({ id, band, colour }) =>
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
        <RuleLayer from={from} to={to} />
        <Tooltip
          cursor={CURSOR}
          isAnimationActive={false}
          content={({ active, payload }) => {
            const dot = payload[0]?.payload as Drawn | undefined;
            return active && dot ? <DotTooltip dot={dot} unit={unit} /> : null;
          }}
        />
        {strokes.map(({ id, name, colour, dash, dots, joined }) => (
          <Stroke
            key={id}
            data={dots.map((dot) => drawn(dot, isAlone ? null : name, axis.domain))}
            dataKey="estimate"
            stroke={joined ? seriesColour(colour) : 'none'}
            strokeWidth={1.5}
            strokeDasharray={dash}
            isAnimationActive={false}
            dot={(props: DotProps) => (
              <Dot key={props.payload.cellId} {...props} colour={colour} onSelect={onSelect} />
            )}
            activeDot={false}
          >
            {hasWhiskers && (
              <ErrorBar
                dataKey="spread"
                width={5}
                strokeWidth={1}
                stroke={seriesColour(colour)}
                isAnimationActive={false}
              />
            )}
          </Stroke>
        ))}
        <EndLabels ends={isDirect ? endsOf(named) : []} isDirect={isDirect} isMarked={false} />
      </LineChart>
    </ResponsiveContainer>
  );
}

/** Return the values that the axis must contain: the points, and the whiskers if there are few points. */
function listLevels(dots: readonly HistoryDot[]): number[] {
  const isFew = dots.length < MANY_POINTS;
  return dots.flatMap(({ estimate, low, high }) =>
    isFew ? [low ?? estimate, estimate, high ?? estimate] : [estimate],
  );
}

/** Return a dot with its whisker cut at the ends of the axis. */
function drawn(
  dot: HistoryDot,
  line: string | null,
  [first, last]: readonly [number, number],
): Drawn {
  const { estimate } = dot;
  const low = Math.max(dot.low ?? estimate, first);
  const high = Math.min(dot.high ?? estimate, last);
  return { ...dot, line, spread: [estimate - low, high - estimate] };
}

interface DotProps {
  cx?: number;
  cy?: number;
  payload: Drawn;
}

interface SelectableDotProps extends DotProps {
  colour: number;
  onSelect: (runId: string) => void;
}

function Dot({ cx = 0, cy = 0, payload, colour, onSelect }: SelectableDotProps) {
  const fill = payload.excluded ? 'var(--tacho-background)' : seriesColour(colour);
  return (
    <g
      transform={`translate(${cx - 6} ${cy - 6})`}
      style={{ cursor: 'pointer' }}
      onClick={() => {
        onSelect(payload.runId);
      }}
    >
      <rect x={-6} y={-6} width={24} height={24} fill="transparent" />
      <path d={markerPath(colour)} fill={fill} stroke={seriesColour(colour)} />
    </g>
  );
}

function DotTooltip({ dot, unit }: { dot: Drawn; unit: string }) {
  const interval = formatInterval(dot.estimate, dot.low, dot.high, unit);
  return (
    <div className={classes.tooltip}>
      <div className={classes.heading}>{formatDateTime(new Date(dot.at).toISOString())}</div>
      {dot.line !== null && <div>{dot.line}</div>}
      <strong>{formatValue(dot.estimate, unit)}</strong> {interval ?? 'no interval'}
      <div className={classes.heading}>
        n = {dot.n}
        {dot.excluded && ', excluded'}
      </div>
    </div>
  );
}
