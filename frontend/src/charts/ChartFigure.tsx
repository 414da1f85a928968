import { Button } from '@mantine/core';
import { IconDownload, IconTable } from '@tabler/icons-react';
import { type ReactNode, Suspense, useId, useState } from 'react';
import { LoadingState } from '@/components/States';
import { type Cell, downloadText, toCsv } from '@/lib/csv';
import { formatFigure } from '@/lib/format';
import classes from './ChartFigure.module.css';

export interface ChartTable {
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

interface ChartFigureProps {
  title: string;
  /** What to see in it. */
  caption: ReactNode;
  /** Everything the chart draws, with full precision. */
  table: () => ChartTable;
  filename: string;
  children: ReactNode;
}

/** A chart as a figure: title, drawing or table, caption, download. */
export function ChartFigure({ title, caption, table, filename, children }: ChartFigureProps) {
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  return (
    <figure className={classes.figure} aria-labelledby={id}>
      <div className={classes.head}>
        <h3 id={id}>{title}</h3>
        <div className={classes.tools}>
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            leftSection={<IconTable size={14} aria-hidden />}
            aria-pressed={asTable}
            aria-label={`${title}: ${asTable ? 'show the chart' : 'show the table'}`}
            onClick={() => {
              setAsTable(!asTable);
            }}
          >
            {asTable ? 'Chart' : 'Table'}
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            leftSection={<IconDownload size={14} aria-hidden />}
            aria-label={`${title}: download as CSV`}
            onClick={() => {
              const { columns, rows } = table();
              downloadText(`${filename}.csv`, toCsv(columns, rows));
            }}
          >
            CSV
          </Button>
        </div>
      </div>
      <div className={classes.body}>
        {asTable ? (
          <DataTable {...table()} label={title} />
        ) : (
          <Suspense fallback={<LoadingState lines={6} height={24} />}>{children}</Suspense>
        )}
      </div>
      <figcaption className={classes.caption}>{caption}</figcaption>
    </figure>
  );
}

function DataTable({ columns, rows, label }: ChartTable & { label: string }) {
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={`${label}, as a table`}>
      <table className={classes.table}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((value, column) => (
                <td key={column} data-number={typeof value === 'number'}>
                  {typeof value === 'number' ? formatFigure(value) : value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
