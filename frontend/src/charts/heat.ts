/** Maps the grid of a heat map to positions on a canvas; pure. */

export interface Heat {
  id: string;
  name: string;
  colour: number;
  excluded: boolean;
  firstSecond: number;
  secondsPerColumn: number;
  /** Lower edges of the rows and the upper edge of the last, ms. */
  edgesMs: readonly number[];
  /** Counts, column by column. */
  columns: readonly (readonly number[])[];
}

/** The scale that several heat maps share. */
export interface HeatScale {
  lowMs: number;
  highMs: number;
  firstSecond: number;
  endSecond: number;
  most: number;
}

export function heatScale(heats: readonly Heat[]): HeatScale {
  const filled = heats.filter(({ edgesMs }) => edgesMs.length > 1);
  const ends = heats.map((heat) => heat.firstSecond + heat.columns.length * heat.secondsPerColumn);
  return {
    lowMs: Math.min(...filled.map(({ edgesMs }) => Math.max(edgesMs[0] ?? 1, 1e-3))),
    highMs: Math.max(...filled.map(({ edgesMs }) => edgesMs.at(-1) ?? 1)),
    firstSecond: Math.min(...heats.map((heat) => heat.firstSecond)),
    endSecond: Math.max(...ends),
    most: heats.reduce(
      (most, { columns }) => columns.reduce((best, column) => Math.max(best, ...column), most),
      1,
    ),
  };
}

/** Return the height of a latency on a log axis: 0 at the bottom, 1 at the top. */
export function heightOf(ms: number, { lowMs, highMs }: HeatScale): number {
  const height = Math.log(Math.max(ms, lowMs) / lowMs) / Math.log(highMs / lowMs);
  return Math.min(1, height);
}

/** Return the opacity: from 0.08 for one request to 1 for the highest count, on a log scale so that outliers are visible. */
export function strengthOf(count: number, most: number): number {
  if (count === 0) return 0;
  return 0.08 + 0.92 * (Math.log1p(count) / Math.log1p(most));
}

export interface HeatSpot {
  second: number;
  lowMs: number;
  highMs: number;
  count: number;
}

/** A position on the canvas, as shares from 0 to 1. */
export interface HeatPointer {
  across: number;
  up: number;
}

/** Return the data at a position of the canvas; null outside the data. */
export function spotAt(heat: Heat, scale: HeatScale, { across, up }: HeatPointer): HeatSpot | null {
  const second = scale.firstSecond + across * (scale.endSecond - scale.firstSecond);
  const column = heat.columns[Math.floor((second - heat.firstSecond) / heat.secondsPerColumn)];
  const ms = scale.lowMs * (scale.highMs / scale.lowMs) ** up;
  const row = heat.edgesMs.findLastIndex((edge) => edge <= ms);
  const [lowMs, highMs] = [heat.edgesMs[row], heat.edgesMs[row + 1]];
  if (column === undefined || lowMs === undefined || highMs === undefined) return null;
  return { second: Math.floor(second), lowMs, highMs, count: column[row] ?? 0 };
}

/** How far a key moves: by columns and by rows. Home and End lead to the ends of the columns. */
const STEPS: Partial<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
  Home: [-Infinity, 0],
  End: [Infinity, 0],
};

/**
 * Return the middle of the field that a key leads to, from the field at a position. Without one, every
 * key leads to the first field. Null for keys that do not move.
 */
export function moveBy(
  key: string,
  heat: Heat,
  scale: HeatScale,
  from: HeatPointer | null,
): HeatPointer | null {
  const step = STEPS[key];
  if (step === undefined) return null;
  const seconds = scale.endSecond - scale.firstSecond;
  const spot = from && spotAt(heat, scale, from);
  const column = spot ? Math.floor((spot.second - heat.firstSecond) / heat.secondsPerColumn) : 0;
  const row = spot ? heat.edgesMs.indexOf(spot.lowMs) : 0;
  const [across, up] = spot ? step : [0, 0];
  const nextColumn = clamp(column + across, heat.columns.length - 1);
  const nextRow = clamp(row + up, heat.edgesMs.length - 2);
  const second = heat.firstSecond + (nextColumn + 0.5) * heat.secondsPerColumn;
  const [low, high] = [heat.edgesMs[nextRow] ?? 0, heat.edgesMs[nextRow + 1] ?? 0];
  return {
    across: (second - scale.firstSecond) / seconds,
    up: (heightOf(low, scale) + heightOf(high, scale)) / 2,
  };
}

function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(most, value));
}
