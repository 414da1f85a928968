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
import { AXIS, CURSOR, GRID, MARGIN, valueAxis } from './axes';
import classes from './ChartTooltip.module.css';

export interface HistoryDot {
  runId: string;
  at: number;
  estimate: number;
  low: number | null;
  high: number | null;
  barred: boolean;
  n: number;
}

export interface HistoryLine {
  id: string;
  name: string;
  /** Within it, points may differ by the host's own noise. */
  band: { low: number; high: number } | null;
  dots: readonly HistoryDot[];
}

interface HistoryChartProps {
  lines: readonly HistoryLine[];
  unit: string;
  onSelect: (runId: string) => void;
}

interface Drawn extends HistoryDot {
  spread: [number, number];
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY_MS = 86_400_000;

/** Every run of a series over time, with interval whiskers; a point leads to its run. */
export function HistoryChart({ lines, unit, onSelect }: HistoryChartProps) {
  const times = lines.flatMap((line) => line.dots.map((dot) => dot.at));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const most = Math.max(
    ...lines.flatMap((line) => line.dots.map((dot) => dot.high ?? dot.estimate)),
  );
  const pad = Math.max((last - first) * 0.04, 60_000);
  const label = last - first > 2 * DAY_MS ? DAY : HOUR;
  // What a verdict bars stands as a point of its own: no line leads to it.
  const strokes = lines.flatMap((line, index) => [
    { id: `${line.id} joined`, index, joined: true, dots: line.dots.filter((dot) => !dot.barred) },
    { id: `${line.id} barred`, index, joined: false, dots: line.dots.filter((dot) => dot.barred) },
  ]);
  return (
    <ResponsiveContainer width="100%" height={320}>
      <LineChart margin={MARGIN}>
        <CartesianGrid {...GRID} />
        <XAxis
          {...AXIS}
          dataKey="at"
          type="number"
          scale="time"
          domain={[first - pad, last + pad]}
          tickFormatter={(at: number) => label.format(at)}
          minTickGap={32}
        />
        <YAxis {...AXIS} {...valueAxis(most, unit)} />
        {lines.map(({ id, band }, index) =>
          band === null ? null : (
            <ReferenceArea
              key={id}
              y1={band.low}
              y2={band.high}
              fill={seriesColour(index)}
              fillOpacity={0.1}
              ifOverflow="hidden"
            />
          ),
        )}
        <Tooltip
          cursor={CURSOR}
          isAnimationActive={false}
          content={({ active, payload }) => {
            const dot = payload[0]?.payload as Drawn | undefined;
            return active && dot ? <DotTooltip dot={dot} unit={unit} /> : null;
          }}
        />
        {strokes.map(({ id, index, dots, joined }) => (
          <Stroke
            key={id}
            data={dots.map(drawn)}
            dataKey="estimate"
            stroke={joined ? seriesColour(index) : 'none'}
            strokeWidth={1.5}
            isAnimationActive={false}
            dot={(props: DotProps) => (
              <Dot key={props.payload.runId} {...props} colour={index} onSelect={onSelect} />
            )}
            activeDot={false}
          >
            <ErrorBar
              dataKey="spread"
              width={5}
              strokeWidth={1}
              stroke={seriesColour(index)}
              isAnimationActive={false}
            />
          </Stroke>
        ))}
      </LineChart>
    </ResponsiveContainer>
  );
}

function drawn(dot: HistoryDot): Drawn {
  const { estimate, low, high } = dot;
  return { ...dot, spread: [estimate - (low ?? estimate), (high ?? estimate) - estimate] };
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
  const fill = payload.barred ? 'var(--tacho-background)' : seriesColour(colour);
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
      <strong>{formatValue(dot.estimate, unit)}</strong> {interval ?? 'no interval'}
      <div className={classes.heading}>
        n = {dot.n}
        {dot.barred && ', barred'}
      </div>
    </div>
  );
}
