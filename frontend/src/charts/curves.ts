/** Turns curves over a number, such as latency against offered load, into rows for Recharts; pure. */

export interface CurveDot {
  x: number;
  y: number | null;
  /** 95 % interval, if there is one. */
  low?: number | null;
  high?: number | null;
  /** Drawn hollow: excluded, or failed. */
  hollow?: boolean;
  /** Whether it is ringed, such as a knee. */
  ringed?: boolean;
  /** Shown next to the value in the tooltip. */
  note?: string;
}

/** Curves of one framework share its colour and differ in dash. */
export interface Curve {
  id: string;
  name: string;
  colour: number;
  dash?: string;
  dots: readonly CurveDot[];
}

/** A line across the chart at one value of one axis. */
export interface Rule {
  axis: 'x' | 'y';
  at: number;
  label: string;
  tone: 'quiet' | 'good' | 'bad';
}

/** One x with the dot of each curve. */
export interface CurveRow {
  x: number;
  dots: Record<string, CurveDot>;
}

export function toCurveRows(curves: readonly Curve[]): CurveRow[] {
  const rows = new Map<number, CurveRow>();
  for (const { id, dots } of curves) {
    for (const dot of dots) {
      const row = rows.get(dot.x) ?? { x: dot.x, dots: {} };
      row.dots[id] = dot;
      rows.set(dot.x, row);
    }
  }
  return [...rows.values()].sort((a, b) => a.x - b.x);
}

/** Return how far the whisker extends below and above a dot; undefined without an interval. */
export function spreadOf(dot: CurveDot | undefined): [number, number] | undefined {
  if (dot?.y === undefined || dot.y === null) return undefined;
  if (typeof dot.low !== 'number' || typeof dot.high !== 'number') return undefined;
  return [dot.y - dot.low, dot.high - dot.y];
}

/** Return the end of the value axis: the highest dot or rule. Long whiskers are cut, because scaling to them would flatten the chart. */
export function curvesEnd(curves: readonly Curve[], rules: readonly Rule[]): number {
  const dots = curves.flatMap((curve) => curve.dots);
  const highest = Math.max(0, ...dots.map((dot) => dot.y ?? 0));
  const whiskers = Math.max(0, ...dots.map((dot) => dot.high ?? 0));
  const ruled = Math.max(0, ...rules.map((rule) => (rule.axis === 'y' ? rule.at : 0)));
  return Math.max(ruled, Math.min(whiskers, highest * 1.6), highest);
}
