/** Places the points of a history on its axes, by time or by run; pure. */
import { levelAxis, type ValueAxis } from './axes';
import { pivot, type PivotRow } from './pivot';

/** Height of a chart, in px. */
export const HISTORY_HEIGHT = 320;

export interface HistoryDot {
  runId: string;
  cellId: string;
  at: number;
  estimate: number;
  low: number | null;
  high: number | null;
  excluded: boolean;
  n: number;
}

export interface HistoryLine {
  id: string;
  name: string;
  /** Name of the framework. */
  owner: string;
  /** Drawn at the end of the line. */
  label: string;
  colour: number;
  /** Distinguishes lines of one framework. */
  dash: string | undefined;
  /** Range within which points may differ by noise of the host. */
  band: { low: number; high: number } | null;
  dots: readonly HistoryDot[];
}

export type HistoryAxis = 'time' | 'run';

export interface PlacedDot extends HistoryDot {
  x: number;
}

export type PlacedLine = Omit<HistoryLine, 'dots'> & { dots: readonly PlacedDot[] };

/** All points at one x, by the id of their line. */
export type HistoryRow = PivotRow<PlacedDot>;

/** Where times are on the axis. */
export interface Placement {
  lines: readonly PlacedLine[];
  rows: readonly HistoryRow[];
  domain: [number, number];
  /** Return the x of a change that happened at a time. */
  placeOf: (at: number) => number;
  /** Return the time at an x, for the labels of ticks. */
  timeOf: (x: number) => number;
}

const LEAST_PAD_MS = 60_000;
/** With more points, whiskers and large marks would hide them. */
const MANY_POINTS = 200;
/** With fewer points, the axis includes the whiskers. */
const FEW_POINTS = 5;

/** Return whether there are too many points for whiskers and large marks. */
export function isCrowded(dots: readonly HistoryDot[]): boolean {
  return dots.length > MANY_POINTS;
}

/** Return the value axis: it contains the points, and the whiskers if there are few points. */
export function historyLevels(dots: readonly HistoryDot[], unit: string): ValueAxis {
  const isFew = dots.length < FEW_POINTS;
  const levels = dots.flatMap(({ estimate, low, high }) =>
    isFew ? [low ?? estimate, estimate, high ?? estimate] : [estimate],
  );
  return levelAxis(levels, unit);
}

/** Return the whiskers between two times, and the ends of the axis, which may cut them. */
export function historyCuts(
  lines: readonly HistoryLine[],
  { from, to }: { from: number; to: number },
  unit: string,
): { levels: readonly HistoryDot[]; domain: [number, number] } {
  const dots = lines.flatMap((line) => line.dots).filter(({ at }) => at >= from && at <= to);
  return { levels: isCrowded(dots) ? [] : dots, domain: historyLevels(dots, unit).domain };
}

/**
 * Return the points between two times with their positions. By run, runs are equally far apart, so that runs of one minute are distinguishable.
 */
export function placePoints(
  lines: readonly HistoryLine[],
  { from, to, axis }: { from: number; to: number; axis: HistoryAxis },
): Placement {
  const shown = lines.map((line) => ({
    ...line,
    dots: line.dots.filter(({ at }) => at >= from && at <= to),
  }));
  const times = [...new Set(shown.flatMap(({ dots }) => dots.map(({ at }) => at)))].sort(
    (a, b) => a - b,
  );
  const ranks = new Map(times.map((at, rank) => [at, rank]));
  const isByRun = axis === 'run';
  const placed = shown.map((line) => ({
    ...line,
    dots: line.dots.map((dot) => ({ ...dot, x: isByRun ? (ranks.get(dot.at) ?? 0) : dot.at })),
  }));
  const pad = Math.max((to - from) * 0.04, LEAST_PAD_MS);
  const next = (at: number) => {
    const rank = times.findIndex((time) => time >= at);
    return rank === -1 ? times.length : rank;
  };
  return {
    lines: placed,
    rows: pivot(placed.map(({ id, dots }) => ({ id, points: dots }))),
    domain: isByRun ? [-0.5, Math.max(times.length, 1) - 0.5] : [from - pad, to + pad],
    // A change lies between the last run before it and the first run with it.
    placeOf: isByRun ? (at) => next(at) - 0.5 : (at) => at,
    timeOf: isByRun ? (x) => times[Math.round(x)] ?? Number.NaN : (x) => x,
  };
}

/** A gap is this many times as long as the median distance of two points. */
const LONG = 5;
/** With more gaps, the points are irregular, and no gap is remarkable. */
const MOST_GAPS = 12;

/** Return the points in parts between long gaps, so that no line crosses a time without runs. */
export function splitAtGaps(dots: readonly PlacedDot[]): PlacedDot[][] {
  const distances = dots.slice(1).map((dot, index) => dot.x - (dots[index]?.x ?? 0));
  const typical = [...distances].sort((a, b) => a - b)[distances.length >> 1] ?? 0;
  const isGap = (distance: number | undefined) => (distance ?? 0) > typical * LONG;
  const gaps = distances.filter(isGap).length;
  if (gaps === 0 || gaps > MOST_GAPS) return [[...dots]];
  const parts: PlacedDot[][] = [];
  dots.forEach((dot, index) => {
    const part = parts.at(-1);
    if (part === undefined || isGap(distances[index - 1])) parts.push([dot]);
    else part.push(dot);
  });
  return parts;
}
