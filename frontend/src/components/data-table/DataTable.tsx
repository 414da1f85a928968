import { Fragment, type ReactNode, useState } from 'react';
import { fadeEdges } from '@/components/fade-edges';
import ui from '@/components/ui.module.css';
import { type Column, idOf, nextSorting, type RowProps, type Sorting, sortRows } from './column';
import classes from './DataTable.module.css';
import { HeaderCell } from './HeaderCell';

interface DataTableProps<Row> {
  /** Name of the table for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row, index: number) => string;
  /** Text below the table. */
  caption?: ReactNode;
  /** Shown instead of a table without rows. */
  empty?: ReactNode;
  /**
   * On a phone, `scroll` scrolls the table sideways, `cards` draws each row as a card, and `fit`
   * breaks lines in cells.
   */
  layout?: 'scroll' | 'cards' | 'fit';
  density?: 'normal' | 'compact' | 'flush';
  /** Height within which rows scroll below a fixed head. */
  height?: number;
  /** Whether the head stays visible while the page is scrolled; not with the layout `scroll`. */
  hasStickyHead?: boolean;
  /** Whether the first column stays visible while the table is scrolled sideways. */
  hasFixedColumn?: boolean;
  /** Maximum number of rows to show, counted after sorting. */
  limit?: number;
  /** Group of a row, named above the first row of the group. Rows must be ordered by group. */
  groupBy?: (row: Row) => string;
  /** Whether a line separates a row from the row before it. Default: each row. */
  hasLine?: (row: Row, before: Row) => boolean;
  rowProps?: (row: Row) => RowProps;
  /** Further lines of a row, each as wide as the table. */
  details?: (row: Row) => readonly ReactNode[];
}

/** Draws a table. Every table of the UI uses this component. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, caption, empty, layout = 'scroll', density = 'normal' } = props;
  const { height, hasFixedColumn = false, hasStickyHead = false } = props;
  const [sorting, setSorting] = useState<Sorting | null>(null);
  if (rows.length === 0 && empty !== undefined) return <p className={ui.quiet}>{empty}</p>;
  const sorted = sorting === null ? rows : sortRows(rows, columns, sorting);
  return (
    <div
      className={classes.frame}
      data-layout={layout}
      data-framed={height !== undefined}
      data-fixed-column={hasFixedColumn || undefined}
      {...(layout === 'scroll' && {
        ref: fadeEdges,
        role: 'group',
        tabIndex: 0,
        'aria-label': label,
      })}
      style={height === undefined ? undefined : { height }}
    >
      <table
        className={classes.table}
        aria-label={label}
        data-layout={layout}
        data-density={density}
        data-fixed-column={hasFixedColumn}
        data-fixed-head={height !== undefined}
        data-sticky-head={hasStickyHead}
      >
        {caption !== undefined && <caption className={classes.caption}>{caption}</caption>}
        <thead>
          <tr>
            {columns.map((column) => {
              const id = idOf(column);
              return (
                <HeaderCell
                  key={id}
                  column={column}
                  order={sorting?.column === id ? sorting.order : null}
                  onSort={() => setSorting(nextSorting(sorting, id))}
                />
              );
            })}
          </tr>
        </thead>
        <Body {...props} rows={sorted.slice(0, props.limit)} />
        {columns.some(({ footer }) => footer !== undefined) && (
          <tfoot>
            <tr>
              {columns.map((column) =>
                column.isRowHeader ? (
                  <th key={idOf(column)} scope="row">
                    {column.footer}
                  </th>
                ) : (
                  <td key={idOf(column)} data-numeric={column.isNumeric}>
                    {column.footer}
                  </td>
                ),
              )}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

function Body<Row>(props: DataTableProps<Row>) {
  const { columns, rows, rowKey, groupBy, hasLine, rowProps, details } = props;
  return (
    <tbody>
      {rows.map((row, index) => {
        const before = rows[index - 1];
        const group = groupBy?.(row);
        const opensGroup =
          group !== undefined && (before === undefined || groupBy?.(before) !== group);
        return (
          <Fragment key={rowKey(row, index)}>
            {opensGroup && (
              <tr data-line>
                <th colSpan={columns.length} scope="rowgroup" className={classes.group}>
                  {group}
                </th>
              </tr>
            )}
            <tr
              {...rowProps?.(row)}
              data-line={before === undefined || (hasLine?.(row, before) ?? true)}
            >
              {columns.map((column) => (
                <BodyCell key={idOf(column)} column={column} row={row} />
              ))}
            </tr>
            {details?.(row).map((detail, index) => (
              <tr key={index}>
                <td colSpan={columns.length} className={classes.detail}>
                  <div>{detail}</div>
                </td>
              </tr>
            ))}
          </Fragment>
        );
      })}
    </tbody>
  );
}

function BodyCell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const look = {
    'data-numeric': column.isNumeric,
    'data-wraps': column.wraps,
    'data-tone': column.tone?.(row),
    'data-card': column.card ?? 'line',
  };
  const content = (
    <>
      {column.cardLabel !== undefined && (
        <div className={classes.cardLabel} aria-hidden>
          {column.cardLabel}
        </div>
      )}
      {column.cell(row)}
    </>
  );
  if (column.isRowHeader) {
    return (
      <th scope="row" {...look}>
        {content}
      </th>
    );
  }
  return <td {...look}>{content}</td>;
}
