import type { HTMLAttributes, ReactNode } from 'react';

/** Position of a cell on a card. On a phone, a table with `layout="cards"` draws each row as a card. */
type CardSlot =
  /** Narrow, at the start of the first line. */
  | 'lead'
  | 'title'
  /** Large, at the end of the first line. */
  | 'value'
  /** A line of its own. */
  | 'line'
  /** On the last line. */
  | 'foot'
  /** Shown at the end of the last line. */
  | 'end'
  | 'hidden';

export interface Column<Row> {
  /** Identifies the column; by default its label, or else its header. */
  id?: string;
  header: ReactNode;
  /** Name of a column without visible header. */
  label?: string;
  cell: (row: Row) => ReactNode;
  /** Whether cells are numbers, aligned at their end. */
  isNumeric?: boolean;
  /** Whether cells name their row. */
  isRowHeader?: boolean;
  /** Whether text may take several lines. */
  wraps?: boolean;
  /** CSS width. */
  width?: string;
  tone?: (row: Row) => 'muted' | 'bad' | undefined;
  /** Value to sort rows by. Without it the column is not sortable. Missing values come last. */
  sortBy?: (row: Row) => SortValue;
  footer?: ReactNode;
  /** Default: `line`. */
  card?: CardSlot;
  /** Shown above the cell on a card. */
  cardLabel?: ReactNode;
}

/** The settings of the column whose cells name their rows. */
export const ROW_TITLE = { isRowHeader: true, wraps: true, card: 'title' } as const;

/** Return the name of a column, for the head of the table and for cards. */
export function named(header: ReactNode): Pick<Column<unknown>, 'header' | 'cardLabel'> {
  return { header, cardLabel: header };
}

/** Return the column of the buttons of a row. */
export function actionColumn<Row>(cell: Column<Row>['cell'], card: CardSlot = 'end'): Column<Row> {
  return { header: null, label: 'Actions', card, cell };
}

/** Return what identifies a column. */
export function idOf<Row>({ id, label, header }: Column<Row>): string {
  return id ?? label ?? (typeof header === 'string' ? header : '');
}

export type SortValue = number | string | null | undefined;

/** Attributes of a table row. */
export type RowProps = HTMLAttributes<HTMLTableRowElement> & Record<`data-${string}`, unknown>;

/** Compare two values of a column: numbers by size, text by the rules of the user's language. */
export function compareValues(a: SortValue, b: SortValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}

export interface Sorting {
  /** Id of the column. */
  column: string;
  order: 'asc' | 'desc';
}

/** Return the sorting after a click on a column: ascending, then descending, then none. */
export function nextSorting(sorting: Sorting | null, column: string): Sorting | null {
  if (sorting?.column !== column) return { column, order: 'asc' };
  return sorting.order === 'asc' ? { column, order: 'desc' } : null;
}

/** Return the rows in the order of a column. Rows without a value come last. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { column, order }: Sorting,
): readonly Row[] {
  const read = columns.find((entry) => idOf(entry) === column)?.sortBy;
  if (read === undefined) return rows;
  const [known, missing] = [
    rows.filter((row) => read(row) != null),
    rows.filter((row) => read(row) == null),
  ];
  const direction = order === 'asc' ? 1 : -1;
  return [...known.sort((a, b) => direction * compareValues(read(a), read(b))), ...missing];
}
