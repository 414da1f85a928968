/** Settings that all charts share. */
import { formatTick, formatTickApart, scaleOf } from '@/lib/format';
import { niceRange, niceTicks } from './series';

export const HEIGHT = 240;

export const TICK = { fill: 'var(--tacho-ink-muted)', fontSize: 12 } as const;
export const AXIS = {
  stroke: 'var(--tacho-line-strong)',
  tick: TICK,
  tickLine: false,
} as const;
export const GRID = { stroke: 'var(--tacho-line)', vertical: false } as const;
export const CURSOR = { stroke: 'var(--tacho-ink-muted)', strokeWidth: 1 } as const;
/** How strong the line of an excluded framework is. */
export const FAINT = 0.35;
export const MARGIN = { top: 8, right: 12, bottom: 18, left: 4 } as const;

/** Return the label of an axis. */
export function axisLabel(value: string) {
  return {
    value,
    position: 'insideBottom',
    offset: -12,
    fill: 'var(--tacho-ink-muted)',
    fontSize: 12,
  } as const;
}

function sideLabel(value: string) {
  return {
    value,
    angle: -90,
    position: 'insideLeft',
    offset: 4,
    fill: 'var(--tacho-ink-muted)',
    fontSize: 12,
    style: { textAnchor: 'middle' },
  } as const;
}

/** Units that are too long for every tick; they are drawn once next to the axis. */
const LONG = new Set(['req/s', 'cores']);

function suffixOf(unit: string, shown: string): string {
  return LONG.has(unit) ? '' : `\u202f${shown}`;
}

/** Return a value axis from 0 to at least `most`, with all ticks in one unit. */
export function valueAxis(most: number, unit: string) {
  const scale = scaleOf(most, unit);
  const ticks = niceTicks(most / scale.factor).map((tick) => tick * scale.factor);
  const suffix = suffixOf(unit, scale.unit);
  return {
    axisLine: false,
    width: 64,
    domain: [0, ticks.at(-1) ?? 1],
    ticks,
    interval: 0,
    tickFormatter: (value: number) =>
      value === 0 ? '0' : `${formatTick(value / scale.factor)}${suffix}`,
    ...(suffix === '' && { label: sideLabel(scale.unit) }),
  };
}

/** Return a value axis around these values that may start above 0, for comparing levels. */
export function levelAxis(values: readonly number[], unit: string) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const margin = Math.max((most - least) * 0.25, most * 0.02);
  const scale = scaleOf(most, unit);
  const [low, high] = [Math.max(0, least - margin), most + margin];
  const { step, first, last } = niceRange(low / scale.factor, high / scale.factor);
  const count = Math.round((last - first) / step);
  const ticks = Array.from({ length: count + 1 }, (_, i) => (first + i * step) * scale.factor);
  const suffix = suffixOf(unit, scale.unit);
  return {
    ...valueAxis(most, unit),
    domain: [first * scale.factor, last * scale.factor] as [number, number],
    ticks,
    tickFormatter: (value: number) => `${formatTickApart(value / scale.factor, step)}${suffix}`,
  };
}

/** Return the largest value among lines. */
export function mostOf(lines: readonly { points: readonly { y: number | null }[] }[]): number {
  let most = 0;
  for (const { points } of lines) for (const { y } of points) most = Math.max(most, y ?? 0);
  return most;
}
