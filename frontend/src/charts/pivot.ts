/** Turns lines of points into rows by x, as Recharts expects them; pure. */

/** One x with the point of each line that has one, by the id of the line. */
export interface PivotRow<Point> {
  x: number;
  points: Record<string, Point>;
}

/** Return the points of all lines as rows, in ascending order of x. */
export function pivot<Point extends { x: number }>(
  lines: readonly { id: string; points: readonly Point[] }[],
): PivotRow<Point>[] {
  const rows = new Map<number, PivotRow<Point>>();
  for (const { id, points } of lines) {
    for (const point of points) {
      let row = rows.get(point.x);
      if (row === undefined) {
        row = { x: point.x, points: {} };
        rows.set(point.x, row);
      }
      row.points[id] = point;
    }
  }
  return [...rows.values()].sort((a, b) => a.x - b.x);
}
