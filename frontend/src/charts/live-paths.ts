/** Draws the last seconds of a quantity as SVG paths, in seconds by shares of the highest value; pure. */
import type { Point } from './series';

export const LIVE_SECONDS = 60;

/** Return the line through the points, and the area below it. A second without a value is a gap. */
export function drawPaths(
  points: readonly Point[],
  start: number,
  peak: number,
): { line: string; area: string } {
  let [line, area] = ['', ''];
  let from: number | null = null;
  let to = 0;
  const close = () => {
    if (from !== null) area += `L${to} 1Z`;
    from = null;
  };
  for (const { x, y } of points) {
    if (y === null) {
      close();
      continue;
    }
    to = x - start;
    const spot = `${to} ${Number((1 - y / peak).toFixed(4))}`;
    line += `${from === null ? 'M' : 'L'}${spot}`;
    area += from === null ? `M${to} 1L${spot}` : `L${spot}`;
    from ??= to;
  }
  close();
  return { line, area };
}
