import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import type { Column } from './column';
import classes from './DataTable.module.css';

export interface Sorting {
  order: 'asc' | 'desc' | false;
  toggle: () => void;
}

const NAMES = { asc: 'ascending', desc: 'descending' } as const;

interface HeaderCellProps<Row> {
  column: Column<Row>;
  /** Null if the column is not sortable. */
  sorting: Sorting | null;
}

/** Draws a column's name. Clicking the name of a sortable column sorts the rows. */
export function HeaderCell<Row>({ column, sorting }: HeaderCellProps<Row>) {
  const { header, label, isNumeric, width } = column;
  const look = { 'data-numeric': isNumeric, style: width === undefined ? undefined : { width } };
  if (sorting === null) {
    return (
      <th scope="col" aria-label={label} {...look}>
        {header}
      </th>
    );
  }
  const { order, toggle } = sorting;
  const Icon = order === false ? IconArrowsSort : order === 'asc' ? IconArrowUp : IconArrowDown;
  return (
    <th scope="col" aria-sort={order === false ? 'none' : NAMES[order]} {...look}>
      <button type="button" className={classes.sort} data-sorted={order !== false} onClick={toggle}>
        {header}
        <Icon size={12} aria-hidden />
      </button>
    </th>
  );
}
