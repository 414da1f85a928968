/** Lines within the range of what they stand for, such as several trials of one framework; pure. */

export interface BandPoint {
  x: number;
  low: number | null;
  middle: number | null;
  high: number | null;
}

/** A middle and the range around it; of one trial the three are the same. */
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

/** The middle one; of an even number the mean of the two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? upper) + upper) / 2;
}

/** At each x, the median of several lines and their range; lines may lack an x. */
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
 * At most about `limit` points: each stretch becomes its median within its extremes, so that a
 * spike stays as high as it was.
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

/** Rows by x for Recharts: `id` is the middle, `id range` what lies around it. */
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

/** The highest value that any line reaches. */
export function highestOf(lines: readonly BandLine[]): number {
  let most = 0;
  for (const { points } of lines) for (const { high } of points) most = Math.max(most, high ?? 0);
  return most;
}
