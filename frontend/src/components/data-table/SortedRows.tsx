import {
  createSortedRowModel,
  type RowData,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { type ReactNode, useMemo } from 'react';
import { type Column, compareValues, type Sorting, type SortValue } from './column';

const FEATURES = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
});

interface SortedRowsProps<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  sorting: Sorting;
  children: (rows: readonly Row[]) => ReactNode;
}

/** Sorts rows by a column. Rows without a value come last. */
export function SortedRows<Row extends RowData>(props: SortedRowsProps<Row>) {
  const { columns, rows, sorting, children } = props;
  const definitions = useMemo(() => columns.map(toDefinition), [columns]);
  const table = useTable({
    features: FEATURES,
    columns: definitions,
    data: rows,
    state: { sorting: [{ id: sorting.column, desc: sorting.order === 'desc' }] },
  });
  return children(table.getRowModel().rows.map((row) => row.original));
}

function toDefinition<Row>({ id, sortBy }: Column<Row>) {
  return {
    id,
    accessorFn: (row: Row) => sortBy?.(row) ?? undefined,
    sortUndefined: 'last' as const,
    sortFn: (a: { getValue: (id: string) => unknown }, b: { getValue: (id: string) => unknown }) =>
      compareValues(a.getValue(id) as SortValue, b.getValue(id) as SortValue),
  };
}
