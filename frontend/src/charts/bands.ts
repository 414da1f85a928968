/** Lines with a range, such as several trials of one framework; pure. */
import type { Level } from './scales';

export interface BandPoint {
  x: number;
  low: number | null;
  middle: number | null;
  high: number | null;
}

/** A median line and the range around it; for one trial the three values are equal. */
export interface BandLine {
  id: string;
  name: string;
  colour: number;
  dash?: string | undefined;
  /** Excluded from ranking: drawn faint. */
  excluded: boolean;
  points: readonly BandPoint[];
}

/** Return the median. */
export function median(values: readonly number[]): number {
  return middleOf(Float64Array.from(values).sort());
}

/** Return the median of values in ascending order. */
function middleOf(sorted: ArrayLike<number>): number {
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? upper) + upper) / 2;
}

/** Return the median and range of several lines at each x; lines may lack an x. */
export function bandOver(
  lines: readonly (readonly { x: number; y: number | null }[])[],
): BandPoint[] {
  const values = new Map<number, number[]>();
  for (const points of lines) {
    for (const { x, y } of points) {
      let own = values.get(x);
      if (own === undefined) {
        own = [];
        values.set(x, own);
      }
      if (y !== null) own.push(y);
    }
  }
  return [...values]
    .sort(([a], [b]) => a - b)
    .map(([x, own]) => {
      own.sort((a, b) => a - b);
      const [low, high] = [own[0], own.at(-1)];
      return low === undefined || high === undefined
        ? { x, low: null, middle: null, high: null }
        : { x, low, middle: middleOf(own), high };
    });
}

/**
 * Return about `limit` points at most, in which spikes keep their height.
 *
 * The range of x is divided into intervals of equal length; one of them begins at 0. Each interval keeps its start, the lowest value, the median of the medians, and the highest value. The server reduces comparisons by the same rule (thin_out in backend/core/results/cell_charts.py); both test suites read band-cases.json.
 */
export function thinOut(points: readonly BandPoint[], limit: number): readonly BandPoint[] {
  const span = (points.at(-1)?.x ?? 0) + 1 - Math.min(0, points[0]?.x ?? 0);
  const length = Math.ceil(span / limit);
  if (length === 1) return points;
  const thin: BandPoint[] = [];
  // Seconds may be missing, but never occur twice.
  const middles = new Float64Array(length);
  for (let next = 0; next < points.length;) {
    const start = Math.floor((points[next]?.x ?? 0) / length) * length;
    let [known, lowest, highest] = [0, Infinity, -Infinity];
    for (; next < points.length; next += 1) {
      const point = points[next];
      if (point === undefined || point.x >= start + length) break;
      const { low, middle, high } = point;
      if (middle === null) continue;
      middles[known] = middle;
      known += 1;
      if (low !== null && low < lowest) lowest = low;
      if (high !== null && high > highest) highest = high;
    }
    thin.push(
      known === 0
        ? { x: start, low: null, middle: null, high: null }
        : {
            x: start,
            low: lowest,
            middle: middleOf(middles.subarray(0, known).sort()),
            high: highest,
          },
    );
  }
  return thin;
}

export function hasRange({ points }: BandLine): boolean {
  return points.some(({ low, high }) => low !== high);
}

/** Return the medians that are known, with the ranges around them. */
export function bandLevels(lines: readonly BandLine[]): Level[] {
  return lines.flatMap(({ points }) =>
    points.flatMap(({ low, middle, high }) =>
      middle === null ? [] : [{ estimate: middle, low, high }],
    ),
  );
}
