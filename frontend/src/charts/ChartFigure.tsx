import { Box, Button } from '@mantine/core';
import { IconChartDots, IconTable } from '@tabler/icons-react';
import {
  createContext,
  type ReactNode,
  use,
  useDeferredValue,
  useId,
  useRef,
  useState,
} from 'react';
import { DataTable } from '@/components/data-table/DataTable';
import { formatFigure } from '@/lib/format';
import type { ChartTable } from '@/lib/table-files';
import classes from './ChartFigure.module.css';
import { type Embed, type FigureContent, FigureMenu } from './FigureMenu';
import type { FigureOrigin, LegendEntry } from './figure-text';
import { DescriptionContext, NearContext } from './Frame';
import { useNear } from './near';
import { NOT_DRAWN } from './not-drawn';

export type { ChartTable, Embed, FigureOrigin, LegendEntry };

/** The level of the titles of figures: one below that of the heading above the figure. */
export const FigureLevelContext = createContext<2 | 3>(3);

interface ChartFigureProps extends FigureContent {
  /** Names what to look for in the chart. */
  caption: ReactNode;
  /** Whether it is as wide as the page, for small multiples. */
  isWide?: boolean;
  children: ReactNode;
}

/** Draws a chart with title, table, caption, and a menu to save, copy or embed it. */
export function ChartFigure({ caption, isWide = false, children, ...content }: ChartFigureProps) {
  const { title, table } = content;
  const [asTable, setAsTable] = useState(false);
  // The button reacts at once; the slower drawing follows.
  const isTable = useDeferredValue(asTable);
  const level = use(FigureLevelContext);
  const id = useId();
  const captionId = useId();
  const figure = useRef<HTMLElement>(null);
  const isNear = useNear(figure);
  const Icon = asTable ? IconChartDots : IconTable;
  return (
    <figure ref={figure} className={classes.figure} data-wide={isWide} aria-labelledby={id}>
      <div className={classes.head} data-figure-head>
        {level === 2 ? <h2 id={id}>{title}</h2> : <h3 id={id}>{title}</h3>}
        <div className={classes.tools} {...NOT_DRAWN}>
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            leftSection={<Icon size={14} aria-hidden />}
            aria-label={`${title}: ${asTable ? 'show the chart' : 'show the table'}`}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? 'Chart' : 'Table'}
          </Button>
          <FigureMenu figure={figure} {...content} />
        </div>
      </div>
      <div className={classes.body}>
        {isTable ? (
          <FigureTable {...table()} label={title} />
        ) : (
          <DescriptionContext value={{ 'aria-label': title, 'aria-describedby': captionId }}>
            <NearContext value={isNear}>{children}</NearContext>
          </DescriptionContext>
        )}
      </div>
      <Box id={captionId} component="figcaption" mt={4} fz="xs" c="dimmed" maw="72ch">
        {caption}
      </Box>
    </figure>
  );
}

/** Further rows are only in the CSV file. */
const MOST_ROWS = 500;

function FigureTable({ columns, rows, label }: ChartTable & { label: string }) {
  return (
    <>
      <DataTable<{ cells: ChartTable['rows'][number] }>
        label={`${label}, as a table`}
        density="compact"
        height={240}
        rows={rows.map((cells) => ({ cells }))}
        rowKey={(_row, index) => String(index)}
        limit={MOST_ROWS}
        columns={columns.map((title, column) => ({
          id: title,
          header: title,
          isNumeric: column > 0 && rows.some((row) => typeof row[column] === 'number'),
          cell: ({ cells }) => {
            const value = cells[column];
            return typeof value === 'number' ? formatFigure(value) : value;
          },
          sortBy: ({ cells }) => cells[column],
        }))}
      />
      {rows.length > MOST_ROWS && (
        <Box component="p" m={0} p="xs" fz="xs" c="dimmed">
          Showing {MOST_ROWS} of {formatFigure(rows.length)} rows. The CSV contains all of them.
        </Box>
      )}
    </>
  );
}
