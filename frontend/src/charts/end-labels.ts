/** Places names at the ends of lines; the layout is pure. */
import { useMediaQuery } from '@mantine/hooks';
import { MARGIN } from './axes';

/** The name of a line, and where the line ends. */
export interface EndLabel {
  id: string;
  name: string;
  colour: number;
  excluded?: boolean | undefined;
  x: number;
  y: number;
}

/** Return the last point of each line that has a value. */
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

/** With more lines, a legend is easier to read. */
const MOST_LABELS = 6;
/** Pixels between text baselines. */
export const LABEL_GAP = 15;
const WIDEST = 132;
/** Pixels for the marker and the gap before the name. */
export const LABEL_INDENT = 20;
const ROOM = '(min-width: 36em)';
const FONT = "12px 'Inter Variable', system-ui, sans-serif";

/**
 * Return heights for labels: at least `gap` apart, as close as possible to the wanted heights (pooling of neighbours, as in isotonic regression), and between `top` and `bottom`.
 */
export function spreadLabels(
  wanted: readonly number[],
  gap: number,
  top: number,
  bottom: number,
): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  // After subtracting its offset, each label must only not be above the previous one.
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

/** Return the width of a text in CSS pixels. */
export function widthOf(text: string): number {
  pen ??= document.createElement('canvas').getContext('2d');
  if (pen === null) return text.length * 7;
  pen.font = FONT;
  return pen.measureText(text).width;
}

/** Return a name shortened to the width of a label. */
export function cutName(name: string): string {
  if (widthOf(name) <= WIDEST) return name;
  let length = name.length - 1;
  while (length > 1 && widthOf(`${name.slice(0, length)}…`) > WIDEST) length -= 1;
  return `${name.slice(0, length).trimEnd()}…`;
}

export interface Labelling {
  /** Whether names are drawn at the ends of lines; if not, a legend must name them. */
  isDirect: boolean;
  /** The chart's margin with space for the names. */
  margin: { top: number; right: number; bottom: number; left: number };
}

/** Return whether these lines are named at their ends, and the margin for that. */
export function useLabelling(names: readonly string[]): Labelling {
  const hasRoom = useMediaQuery(ROOM, true, { getInitialValueInEffect: false });
  const cut = names.map(cutName);
  const isTold = new Set(cut).size === names.length;
  const isDirect = hasRoom && isTold && names.length > 1 && names.length <= MOST_LABELS;
  if (!isDirect) return { isDirect, margin: MARGIN };
  const widest = Math.max(...cut.map(widthOf));
  return { isDirect, margin: { ...MARGIN, right: Math.ceil(widest) + LABEL_INDENT + 4 } };
}
