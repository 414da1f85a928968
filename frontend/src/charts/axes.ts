/** Settings that all charts share. */
import { formatTick, formatTickApart, scaleOf } from '@/lib/format';
import { type Extent, extentOf, logEnds, logTicks, needsLog } from './scales';
import { niceRange, niceTicks } from './series';

export const HEIGHT = 240;
export const SCATTER_HEIGHT = 300;

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
const LONG = new Set(['req/s', 'cores', 'faults']);
const LOG = 'log axis';
const MOST_LOG_TICKS = 7;

function suffixOf(unit: string, shown: string): string {
  return LONG.has(unit) || shown === '' ? '' : `\u202f${shown}`;
}

/** Return a tick in the unit that suits it, for axes over several units. */
export function formatTickAlone(value: number, unit: string): string {
  const scale = scaleOf(value, unit);
  return `${formatTick(value / scale.factor)}${suffixOf(unit, scale.unit)}`;
}

/** A value axis for Recharts. */
export interface ValueAxis {
  axisLine: false;
  width: number;
  scale: 'linear' | 'log';
  domain: [number, number];
  ticks: number[];
  interval: 0;
  tickFormatter: (value: number) => string;
  label?: ReturnType<typeof sideLabel>;
}

/**
 * Return a value axis from 0, or a logarithmic one if the values span more than two decades. Shares are always linear, because they end at 100 %.
 */
export function valueAxis(extent: Extent, unit: string): ValueAxis {
  return extent.isLog && unit !== 'share' ? logAxis(extent, unit) : linearAxis(extent.high, unit);
}

/** Return an axis from 0 to at least `most`, with all ticks in one unit. */
function linearAxis(most: number, unit: string): ValueAxis {
  const scale = scaleOf(most, unit);
  const ticks = niceTicks(most / scale.factor).map((tick) => tick * scale.factor);
  const suffix = suffixOf(unit, scale.unit);
  return {
    axisLine: false,
    width: 64,
    scale: 'linear',
    domain: [0, ticks.at(-1) ?? 1],
    ticks,
    interval: 0,
    tickFormatter: (value) => (value === 0 ? '0' : `${formatTick(value / scale.factor)}${suffix}`),
    ...(suffix === '' && scale.unit !== '' && { label: sideLabel(scale.unit) }),
  };
}

/** Return a logarithmic axis, named as such, with each tick in its own unit. */
function logAxis({ low, high }: Extent, unit: string): ValueAxis {
  const domain = logEnds(low, high);
  const isLong = LONG.has(unit);
  return {
    axisLine: false,
    // Space for the name of the axis next to ticks with units.
    width: isLong ? 64 : 80,
    scale: 'log',
    domain,
    ticks: logTicks(...domain, MOST_LOG_TICKS),
    interval: 0,
    tickFormatter: (value) => (isLong ? formatTick(value) : formatTickAlone(value, unit)),
    label: sideLabel(isLong ? `${unit} (${LOG})` : LOG),
  };
}

/** Return a value axis around these values that may start above 0, for comparing levels. */
export function levelAxis(values: readonly number[], unit: string): ValueAxis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const extent = extentOf(values.map((estimate) => ({ estimate })));
  if (extent.isLog || values.length === 0) return valueAxis(extent, unit);
  const margin = Math.max((most - least) * 0.25, most * 0.02);
  const scale = scaleOf(most, unit);
  const [low, high] = [Math.max(0, least - margin), most + margin];
  const { step, first, last } = niceRange(low / scale.factor, high / scale.factor);
  const count = Math.round((last - first) / step);
  const ticks = Array.from({ length: count + 1 }, (_, i) => (first + i * step) * scale.factor);
  const suffix = suffixOf(unit, scale.unit);
  return {
    ...linearAxis(most, unit),
    domain: [first * scale.factor, last * scale.factor],
    ticks,
    tickFormatter: (value) => `${formatTickApart(value / scale.factor, step)}${suffix}`,
  };
}

/** Pixels that keep the first and last label of an axis inside the chart. */
const PADDING = { left: 12, right: 24 } as const;

/** Return the ends of an axis; a single value is in its middle. */
function domainOf(first: number, last: number): [number, number] {
  return first === last ? [first - 1, last + 1] : [first, last];
}

/** Return the x axis of measured numbers, such as rates, with a tick at each. */
export function numberAxis(
  xs: readonly number[],
  { label, unit }: { label: string; unit: string },
) {
  const [first, last] = [Math.min(...xs), Math.max(...xs)];
  const isLog = needsLog(first, last);
  const title = unit === '' ? label : `${label}, ${unit}`;
  return {
    type: 'number',
    scale: isLog ? 'log' : 'linear',
    domain: domainOf(first, last),
    ticks: [...xs],
    interval: 'equidistantPreserveStart',
    minTickGap: 12,
    padding: PADDING,
    tickFormatter: formatTick,
    label: axisLabel(isLog ? `${title} (${LOG})` : title),
  } as const;
}
