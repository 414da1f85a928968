/** Exports a chart's table with full precision. */
import type { Cell } from './csv';

export interface ChartTable {
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

/** Return an array with one object per row, keyed by column; unknown values are null. */
export function toJson({ columns, rows }: ChartTable): string {
  const objects = rows.map((row) =>
    Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null])),
  );
  return `${JSON.stringify(objects, null, 2)}\n`;
}

/** Return a GitHub Markdown table with right-aligned numbers. */
export function toMarkdown({ columns, rows }: ChartTable): string {
  const rule = columns.map((_, index) =>
    rows.some((row) => isNumber(row[index])) ? '---:' : '---',
  );
  const lines = [columns, rule, ...rows].map(
    (row) => `| ${columns.map((_, index) => escape(row[index])).join(' | ')} |`,
  );
  return `${lines.join('\n')}\n`;
}

/** A number, also one with its unit, such as `61 µs [60, 63]`. */
const NUMBER = /^[\u2212≈]?\s?\d/;

function isNumber(cell: Cell): boolean {
  return typeof cell === 'number' || (typeof cell === 'string' && NUMBER.test(cell));
}

function escape(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  return String(cell)
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .replaceAll(/\s*\n\s*/g, ' ');
}
