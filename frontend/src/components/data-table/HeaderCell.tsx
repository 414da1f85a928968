import { VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import type { Column, Sorting } from './column';
import classes from './DataTable.module.css';

const NAMES = { asc: 'ascending', desc: 'descending' } as const;

interface HeaderCellProps<Row> {
  column: Column<Row>;
  /** Order of the rows if they are sorted by this column. */
  order: Sorting['order'] | null;
  onSort: () => void;
}

/** Draws a column's name. Clicking the name of a sortable column sorts the rows. */
export function HeaderCell<Row>({ column, order, onSort }: HeaderCellProps<Row>) {
  const { header, label, isNumeric, width } = column;
  const look = { 'data-numeric': isNumeric, style: width === undefined ? undefined : { width } };
  if (column.sortBy === undefined) {
    return (
      <th scope="col" {...look}>
        {header}
        {label !== undefined && <VisuallyHidden>{label}</VisuallyHidden>}
      </th>
    );
  }
  const Icon = order === null ? IconArrowsSort : order === 'asc' ? IconArrowUp : IconArrowDown;
  return (
    <th scope="col" aria-sort={order === null ? 'none' : NAMES[order]} {...look}>
      <button type="button" className={classes.sort} data-sorted={order !== null} onClick={onSort}>
        {header}
        <Icon size={12} aria-hidden />
      </button>
    </th>
  );
}
