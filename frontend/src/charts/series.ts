/** Lines of points, round numbers for axes, and names of quantiles; pure. */
import type { Level } from './scales';

export interface Point {
  x: number;
  y: number | null;
}

/** One line of a chart; lines of one framework share name and colour. */
export interface Line {
  id: string;
  name: string;
  colour: number;
  /** Distinguishes lines of one framework. */
  dash?: string | undefined;
  /** Excluded from ranking: drawn faint, named in the readout. */
  excluded?: boolean;
  points: readonly Point[];
}

/** Return the values of all lines, without gaps. */
export function lineLevels(lines: readonly Pick<Line, 'points'>[]): Level[] {
  return lines.flatMap(({ points }) =>
    points.flatMap(({ y }) => (y === null ? [] : [{ estimate: y }])),
  );
}

/** Return the next round number at or above a value, for the end of a scale. */
export function niceCeiling(value: number): number {
  return roundUp(value, [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8]);
}

/** Return the smallest of these figures × 10ⁿ that is not below a value. */
function roundUp(value: number, figures: readonly number[]): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return (figures.find((figure) => value <= figure * power * (1 + 1e-9)) ?? 10) * power;
}

/** Return four or five round steps from 0 to at least `value`. */
export function niceTicks(value: number): number[] {
  const step = roundUp((value > 0 ? value : 1) / 5, [1, 2, 2.5, 5]);
  const count = Math.max(1, Math.ceil((value > 0 ? value : 1) / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, i) => i * step);
}

/** Return round ends around a range, and the step of the ticks between them. */
export function niceRange(least: number, most: number) {
  const step = roundUp((most - least) / 5 || 1, [1, 2, 2.5, 5]);
  return {
    step,
    first: Math.floor(least / step + 1e-9) * step,
    last: Math.ceil(most / step - 1e-9) * step,
  };
}

/** Return about six whole, round seconds within a range, 0 among them. */
export function secondTicks(first: number, last: number): number[] {
  const step = Math.max(1, roundUp((last - first) / 6, [1, 2, 5]));
  const begin = Math.ceil(first / step);
  const count = Math.floor(last / step) - begin + 1;
  return Array.from({ length: Math.max(1, count) }, (_, i) => (begin + i) * step + 0);
}

/** Quantiles with common names, as x = 1 / (1 − q). */
export const NAMED_QUANTILES: readonly { x: number; label: string }[] = [
  { x: 2, label: 'p50' },
  { x: 10, label: 'p90' },
  { x: 100, label: 'p99' },
  { x: 1e3, label: 'p99.9' },
  { x: 1e4, label: 'p99.99' },
  { x: 1e5, label: 'p99.999' },
];

/** Return percentiles at x = 1 / (1 − q); the maximum, at infinity, is left out. */
export function toTailPoints(
  percentiles: readonly { quantile: number; latency_ms: number }[],
): Point[] {
  return percentiles
    .filter(({ quantile }) => quantile < 1)
    .map(({ quantile, latency_ms }) => ({ x: 1 / (1 - quantile), y: latency_ms }));
}

/** Return the name of the quantile at 1 / (1 − q), such as `p99.9`. */
export function quantileName(x: number): string {
  const percent = (1 - 1 / x) * 100;
  const digits = Math.max(0, Math.ceil(Math.log10(x)) - 2 + 1);
  return `p${Number(percent.toFixed(Math.min(6, digits)))}`;
}
