/** Names at the ends of lines, where few enough that each finds its place; the layout is pure. */
import { useMediaQuery } from '@mantine/hooks';
import { MARGIN } from './axes';

/** A line's name, and where it ends. */
export interface EndLabel {
  id: string;
  name: string;
  colour: number;
  excluded?: boolean | undefined;
  x: number;
  y: number;
}

/** Where each line ends: its last point that has a value. */
export function endsOf(
  lines: readonly {
    id: string;
    name: string;
    colour: number;
    excluded?: boolean | undefined;
    points: readonly { x: number; y: number | null }[];
  }[],
): EndLabel[] {
  return lines.flatMap(({ id, name, colour, excluded, points }) => {
    const last = points.findLast((point) => point.y !== null);
    if (last === undefined || last.y === null) return [];
    return [{ id, name, colour, excluded, x: last.x, y: last.y }];
  });
}

/** Beyond so many, the eye is better off with the legend. */
const MOST_LABELS = 6;
/** Between baselines. */
export const LABEL_GAP = 15;
const WIDEST = 132;
/** Marker and air before the words. */
export const LABEL_INDENT = 20;
const ROOM = '(min-width: 36em)';
const FONT = "12px 'Inter Variable', system-ui, sans-serif";

/**
 * Where labels stand that want these heights: at least `gap` apart, moved as little as that takes
 * (pooling of neighbours, as in isotonic regression), and within `top` and `bottom`.
 */
export function spreadLabels(
  wanted: readonly number[],
  gap: number,
  top: number,
  bottom: number,
): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  // Less its place in the row, each label only has to lie not above the one before.
  const pools: { sum: number; count: number }[] = [];
  const mean = (pool: { sum: number; count: number }) => pool.sum / pool.count;
  order.forEach((index, place) => {
    let pool = { sum: (wanted[index] ?? 0) - place * gap, count: 1 };
    for (let last = pools.at(-1); last && mean(last) > mean(pool); last = pools.at(-1)) {
      pools.pop();
      pool = { sum: last.sum + pool.sum, count: last.count + pool.count };
    }
    pools.push(pool);
  });
  const lowest = bottom - (wanted.length - 1) * gap;
  const placed = new Array<number>(wanted.length);
  let place = 0;
  for (const pool of pools) {
    const at = Math.max(top, Math.min(lowest, mean(pool)));
    for (let n = 0; n < pool.count; n += 1) {
      placed[order[place] ?? 0] = at + place * gap;
      place += 1;
    }
  }
  return placed;
}

let pen: CanvasRenderingContext2D | null = null;

/** In CSS px. */
function widthOf(text: string): number {
  pen ??= document.createElement('canvas').getContext('2d');
  if (pen === null) return text.length * 7;
  pen.font = FONT;
  return pen.measureText(text).width;
}

/** A name that fits the room for labels, its end cut off where it must be. */
export function cutName(name: string): string {
  if (widthOf(name) <= WIDEST) return name;
  let length = name.length - 1;
  while (length > 1 && widthOf(`${name.slice(0, length)}…`) > WIDEST) length -= 1;
  return `${name.slice(0, length).trimEnd()}…`;
}

export interface Labelling {
  /** Whether names stand at the ends of lines; if not, a legend has to tell them. */
  isDirect: boolean;
  /** The chart's margin with room for them. */
  margin: { top: number; right: number; bottom: number; left: number };
}

/** Whether these lines are named where they end, and the room that takes. */
export function useLabelling(names: readonly string[]): Labelling {
  const hasRoom = useMediaQuery(ROOM, true, { getInitialValueInEffect: false });
  const cut = names.map(cutName);
  const isTold = new Set(cut).size === names.length;
  const isDirect = hasRoom && isTold && names.length > 1 && names.length <= MOST_LABELS;
  if (!isDirect) return { isDirect, margin: MARGIN };
  const widest = Math.max(...cut.map(widthOf));
  return { isDirect, margin: { ...MARGIN, right: Math.ceil(widest) + LABEL_INDENT + 4 } };
}
