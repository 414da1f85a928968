/** Chooses linear or logarithmic axes and their ends; pure. */

/** A value, with the ends of its interval if it has one. */
export interface Level {
  estimate: number;
  low?: number | null;
  high?: number | null;
}

/** The part of a value axis that a chart needs. */
export interface Extent {
  /** Without effect on a linear axis, which begins at 0. */
  low: number;
  high: number;
  isLog: boolean;
}

/** Values that span more than two decades need a logarithmic axis. */
const WIDEST_LINEAR = 100;
/** A longer whisker is cut, because scaling to it would flatten the chart. */
const LONGEST_WHISKER = 1.6;

/** Return whether values from `least` to `most` need a logarithmic axis. Zero has no logarithm. */
export function needsLog(least: number, most: number): boolean {
  return least > 0 && most / least > WIDEST_LINEAR * (1 + 1e-9);
}

/**
 * Return the extent that contains all values, and whiskers up to 1.6 times the values. `hasRanges`
 * includes them whole. Only the values decide whether it is logarithmic.
 */
export function extentOf(levels: Iterable<Level>, { hasRanges = false } = {}): Extent {
  let [least, most, lowest, highest] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { estimate, low, high } of levels) {
    least = Math.min(least, estimate);
    most = Math.max(most, estimate);
    lowest = Math.min(lowest, low ?? estimate);
    highest = Math.max(highest, high ?? estimate);
  }
  if (most === -Infinity) return { low: 0, high: 1, isLog: false };
  const low = hasRanges ? lowest : Math.max(lowest, least / LONGEST_WHISKER);
  const cut = Math.max(most, Math.min(highest, most * LONGEST_WHISKER));
  return { low, high: hasRanges ? highest : cut, isLog: low > 0 && needsLog(least, most) };
}

const DECADES = [...Array(25).keys()].map((power) => 10 ** (power - 12));
const FIGURES = [[1, 2, 5], [1, 3], [1]] as const;

/** Return at most `most` round values within a range: 1, 2, 5, 10 … or 1, 10, 100 … */
export function logTicks(low: number, high: number, most = 5): number[] {
  const within = (tick: number) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9);
  for (const figures of FIGURES) {
    const ticks = DECADES.flatMap((decade) => figures.map((figure) => figure * decade)).filter(
      within,
    );
    if (ticks.length <= most) return ticks;
  }
  const decades = DECADES.filter(within);
  const step = Math.ceil(decades.length / most);
  return decades.filter((_, place) => place % step === 0);
}

/** Return the range from the next lower to the next higher of 1, 2, 5, 10 … */
export function logEnds(low: number, high: number): [number, number] {
  const round = DECADES.flatMap((decade) => [decade, 2 * decade, 5 * decade]);
  const first = round.findLast((tick) => tick <= low * (1 + 1e-9)) ?? low;
  const last = round.find((tick) => tick >= high * (1 - 1e-9)) ?? high;
  return [first, last];
}

/** A whisker within the ends of its axis. */
export interface CutWhisker {
  low: number;
  high: number;
  /** Whether the interval continues beyond the axis. */
  isLowCut: boolean;
  isHighCut: boolean;
}

/** Return the part of an interval that an axis shows; null without an interval. */
export function cutWhisker(
  { low, high }: Pick<Level, 'low' | 'high'>,
  [first, last]: readonly [number, number],
): CutWhisker | null {
  if (typeof low !== 'number' || typeof high !== 'number') return null;
  return {
    low: Math.min(Math.max(low, first), last),
    high: Math.max(Math.min(high, last), first),
    isLowCut: low < first,
    isHighCut: high > last,
  };
}
