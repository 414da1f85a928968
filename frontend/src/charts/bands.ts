/** Lines with a range, such as several trials of one framework; pure. */

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

export type BandRow = { x: number } & Record<string, number | [number, number] | null>;

/** Return the median. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
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
      const own = values.get(x) ?? [];
      if (y !== null) own.push(y);
      values.set(x, own);
    }
  }
  return [...values]
    .sort(([a], [b]) => a - b)
    .map(([x, own]) =>
      own.length === 0
        ? { x, low: null, middle: null, high: null }
        : { x, low: Math.min(...own), middle: median(own), high: Math.max(...own) },
    );
}

/**
 * Return about `limit` points at most, in which spikes keep their height.
 *
 * The range of x is divided into intervals of equal length; one of them begins at 0. Each interval keeps its start, the lowest value, the median of the medians, and the highest value. The server reduces comparisons by the same rule (thin_out in backend/core/results/bands.py); both test suites read band-cases.json.
 */
export function thinOut(points: readonly BandPoint[], limit: number): readonly BandPoint[] {
  const span = (points.at(-1)?.x ?? 0) + 1 - Math.min(0, points[0]?.x ?? 0);
  const length = Math.ceil(span / limit);
  if (length === 1) return points;
  const intervals = new Map<number, BandPoint[]>();
  for (const point of points) {
    const start = Math.floor(point.x / length) * length;
    const own = intervals.get(start) ?? [];
    own.push(point);
    intervals.set(start, own);
  }
  return [...intervals].map(([x, own]) => {
    const known = own.filter((point) => point.middle !== null);
    if (known.length === 0) return { x, low: null, middle: null, high: null };
    return {
      x,
      low: Math.min(...known.map((point) => point.low ?? Infinity)),
      middle: median(known.map((point) => point.middle ?? 0)),
      high: Math.max(...known.map((point) => point.high ?? -Infinity)),
    };
  });
}

export function hasRange({ points }: BandLine): boolean {
  return points.some(({ low, high }) => low !== high);
}

/** Return rows by x for Recharts: `id` is the median, `id range` the range around it. */
export function toBandRows(lines: readonly BandLine[]): BandRow[] {
  const rows = new Map<number, BandRow>();
  for (const { id, points } of lines) {
    for (const { x, low, middle, high } of points) {
      const row = rows.get(x) ?? { x };
      row[id] = middle;
      row[`${id} range`] = low === null || high === null ? null : [low, high];
      rows.set(x, row);
    }
  }
  return [...rows.values()].sort((a, b) => a.x - b.x);
}

/** Return the highest value of all lines. */
export function highestOf(lines: readonly BandLine[]): number {
  let most = 0;
  for (const { points } of lines) for (const { high } of points) most = Math.max(most, high ?? 0);
  return most;
}
