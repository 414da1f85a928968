/** A chart's table in the forms in which people take it away; full precision in all of them. */
import type { Cell } from './csv';

export interface ChartTable {
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

/** An array of one object a row, keyed by column; what is not known is null. */
export function toJson({ columns, rows }: ChartTable): string {
  const objects = rows.map((row) =>
    Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null])),
  );
  return `${JSON.stringify(objects, null, 2)}\n`;
}

/** A table of GitHub's Markdown, numbers to the right. */
export function toMarkdown({ columns, rows }: ChartTable): string {
  const rule = columns.map((_, index) =>
    rows.some((row) => typeof row[index] === 'number') ? '---:' : '---',
  );
  const lines = [columns, rule, ...rows].map(
    (row) => `| ${columns.map((_, index) => escape(row[index])).join(' | ')} |`,
  );
  return `${lines.join('\n')}\n`;
}

function escape(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  return String(cell)
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .replaceAll(/\s*\n\s*/g, ' ');
}
