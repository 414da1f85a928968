/** Curves over a number, such as latency against offered load; pure. */
import type { Level } from './scales';
import type { Whisker } from './Whiskers';

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
  /** Shown next to the name in the readout. */
  note?: string;
}

/** Curves of one framework share its colour and differ in dash. */
export interface Curve {
  id: string;
  name: string;
  colour: number;
  dash?: string | undefined;
  dots: readonly CurveDot[];
}

/** A line across the chart at one value of one axis. */
export interface Rule {
  axis: 'x' | 'y';
  at: number;
  label: string;
  tone: 'quiet' | 'good' | 'bad';
}

/** Return the intervals of all dots. */
export function whiskersOf(curves: readonly Curve[]): Whisker[] {
  return curves.flatMap(({ id, colour, dots }) =>
    dots.flatMap(({ x, y, low, high }) =>
      y === null ? [] : [{ id: `${id} ${x}`, x, y, low, high, colour }],
    ),
  );
}

/** Return the measured x of all curves, in ascending order. */
export function xsOf(curves: readonly Curve[]): number[] {
  const xs = curves.flatMap(({ dots }) => dots.map(({ x }) => x));
  return [...new Set(xs)].sort((a, b) => a - b);
}

/** Return all that the value axis contains: dots with their intervals, and rules. */
export function curveLevels(curves: readonly Curve[], rules: readonly Rule[]): Level[] {
  const levels = curves.flatMap(({ dots }) =>
    dots.flatMap(({ y, low = null, high = null }) =>
      y === null ? [] : [{ estimate: y, low, high }],
    ),
  );
  const ruled = rules.flatMap(({ axis, at }) => (axis === 'y' ? [{ estimate: at }] : []));
  return [...levels, ...ruled];
}
