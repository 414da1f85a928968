/** Lays out a sparkline: the points and the level on either side of a change. */

export interface SparkPoint {
  estimate: number;
  isAfter: boolean;
}

export interface SparkLevel {
  from: number;
  to: number;
  y: number;
}

export interface Spark {
  dots: { x: number; y: number; isAfter: boolean }[];
  /** Mean of the points before and after; null if a side has no point. */
  before: SparkLevel | null;
  after: SparkLevel | null;
  /** x at which the new level begins. */
  rule: number | null;
}

/** Return the points spread evenly in a box, with the largest value at the top. */
export function layOutSpark(
  points: readonly SparkPoint[],
  width: number,
  height: number,
  pad: number,
): Spark {
  const values = points.map((point) => point.estimate);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const step = points.length > 1 ? (width - 2 * pad) / (points.length - 1) : 0;
  const yOf = (value: number) =>
    most === least ? height / 2 : pad + ((most - value) / (most - least)) * (height - 2 * pad);
  const dots = points.map((point, index) => ({
    x: pad + index * step,
    y: yOf(point.estimate),
    isAfter: point.isAfter,
  }));
  const level = (isAfter: boolean): SparkLevel | null => {
    const own = dots.filter((dot) => dot.isAfter === isAfter);
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined) return null;
    const y = own.reduce((sum, dot) => sum + dot.y, 0) / own.length;
    return { from: first.x, to: last.x, y };
  };
  const [before, after] = [level(false), level(true)];
  const rule = before && after ? (before.to + after.from) / 2 : null;
  return { dots, before, after, rule };
}
