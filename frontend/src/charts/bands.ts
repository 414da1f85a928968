/** Lines with a range, such as several trials of one framework; pure. */
import type { ChartTable } from '@/lib/table-files';
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

/** The lowest, the median and the highest trial in each second. */
interface Spread {
  low: readonly (number | null)[];
  middle: readonly (number | null)[];
  high: readonly (number | null)[];
}

/** Return the points of a series from its seconds and the spread of the trials in each. */
export function bandPoints(seconds: readonly number[], spread: Spread | undefined): BandPoint[] {
  return seconds.map((x, place) => ({
    x,
    low: spread?.low[place] ?? null,
    middle: spread?.middle[place] ?? null,
    high: spread?.high[place] ?? null,
  }));
}

export function bandTable(lines: readonly BandLine[], named: string, unit: string): ChartTable {
  return {
    columns: [named, 'second', `lowest, ${unit}`, `median, ${unit}`, `highest, ${unit}`],
    rows: lines.flatMap(({ name, points }) =>
      points.map(({ x, low, middle, high }) => [name, x, low, middle, high]),
    ),
  };
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
