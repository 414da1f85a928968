import {
  Area,
  AreaChart,
  CartesianGrid,
  ReferenceArea,
  ResponsiveContainer,
  XAxis,
  YAxis,
} from 'recharts';
import { formatTick, scaleOf } from '@/lib/format';
import { AXIS, GRID } from './axes';
import { niceCeiling, type Point } from './series';

const WINDOW_SECONDS = 60;

interface LiveChartProps {
  label: string;
  points: readonly Point[];
  unit: string;
  colour: string;
}

/** Draws the last 60 seconds of one quantity, without animation. */
export function LiveChart({ label, points, unit, colour }: LiveChartProps) {
  const last = points.at(-1)?.x ?? 0;
  const start = Math.max(points[0]?.x ?? 0, last - WINDOW_SECONDS + 1);
  const shown = points.filter((point) => point.x >= start);
  const peak = niceCeiling(Math.max(...shown.map((point) => point.y ?? 0), 0));
  const scale = scaleOf(peak, unit).factor;
  return (
    <div role="img" aria-label={`${label}, last 60 seconds`} data-points={points.length}>
      <ResponsiveContainer width="100%" height={120}>
        <AreaChart data={shown} margin={{ top: 6, right: 4, bottom: 0, left: 0 }}>
          <CartesianGrid {...GRID} />
          {start < 0 && (
            <ReferenceArea x1={start} x2={Math.min(0, last)} fill="var(--tacho-warm-up)" />
          )}
          <XAxis dataKey="x" type="number" domain={[start, start + WINDOW_SECONDS - 1]} hide />
          <YAxis
            {...AXIS}
            axisLine={false}
            width={40}
            domain={[0, peak]}
            ticks={[0, peak / 2, peak]}
            tickFormatter={(value: number) => formatTick(value / scale)}
          />
          <Area
            dataKey="y"
            stroke={colour}
            strokeWidth={1.75}
            fill={colour}
            fillOpacity={0.12}
            isAnimationActive={false}
            dot={false}
          />
        </AreaChart>
      </ResponsiveContainer>
    </div>
  );
}
