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
 * Return at most about `limit` points. Each interval becomes its median and extremes, so that spikes keep their height.
 */
export function thinOut(points: readonly BandPoint[], limit: number): readonly BandPoint[] {
  if (points.length <= limit) return points;
  const length = Math.ceil(points.length / limit);
  const thin: BandPoint[] = [];
  for (let start = 0; start < points.length; start += length) {
    const part = points.slice(start, start + length);
    const known = part.filter((point) => point.middle !== null);
    const x = part[0]?.x ?? 0;
    if (known.length === 0) {
      thin.push({ x, low: null, middle: null, high: null });
      continue;
    }
    thin.push({
      x,
      low: Math.min(...known.map((point) => point.low ?? Infinity)),
      middle: median(known.map((point) => point.middle ?? 0)),
      high: Math.max(...known.map((point) => point.high ?? -Infinity)),
    });
  }
  return thin;
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
