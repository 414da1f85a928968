import { Box, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import type {
  FigureComparisonOut,
  OrderOut,
  SystemUnderTestOut,
  TableCell,
  TableOut,
} from '@/api/schema';
import type { Column } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { Hint } from '@/components/Hint';
import { Marker } from '@/components/Marker';
import ui from '@/components/ui.module.css';
import { words } from '@/lib/format';
import {
  formatCoefficient,
  formatMeasured,
  formatRatio,
  formatRatioInterval,
  placeOrders,
} from './study-results';
import classes from './StudyTableView.module.css';

type StudyRow = TableOut['rows'][number];

interface StudyTableViewProps {
  table: TableOut;
  systems: readonly SystemUnderTestOut[];
  /** Whether to show the results of a run below the published figures. */
  withMeasured: boolean;
}

/** Shows a table as printed. Below each figure are the result here and the ratio of both. */
export function StudyTableView({ table, systems, withMeasured }: StudyTableViewProps) {
  const { ofColumns, ofRows } = placeOrders(table);
  const colours = new Map(systems.map(({ name, framework }) => [name, framework?.colour]));
  const columns: Column<StudyRow>[] = [
    {
      id: 'head',
      header: table.corner,
      ...(table.corner === '' && { label: 'System' }),
      isRowHeader: true,
      wraps: true,
      footer: ofColumns.size > 0 ? 'Order' : undefined,
      cell: (row) => (
        <Box miw={96} maw={240}>
          <Head head={row.head} colour={colours.get(row.head)} />
        </Box>
      ),
    },
    ...table.columns.map((head, index): Column<StudyRow> => ({
      id: `${index} ${head}`,
      header: <Head head={head} colour={colours.get(head)} />,
      isNumeric: true,
      footer: ofColumns.size > 0 ? <Order order={ofColumns.get(head)} /> : undefined,
      cell: (row) => {
        const cell = row.cells[index];
        if (cell === undefined) return null;
        return (
          <Cell cell={cell} withMeasured={withMeasured} isPicture={table.printed === 'picture'} />
        );
      },
    })),
  ];
  if (ofRows.size > 0) {
    columns.push({
      header: 'Order',
      isNumeric: true,
      cell: (row) => <Order order={ofRows.get(row.head)} />,
    });
  }
  return (
    <Box component="figure" m="0 0 32px">
      <Box component="figcaption" mb="xs">
        <Box component="h3" m={0} fz="lg" fw={600}>
          {table.title}
        </Box>
        <p className={classes.location}>
          {table.source_location}
          {table.printed === 'picture' && ' · published only as a picture'}
          {table.printed === 'text' && ' · from the text'}
          {table.printed === 'none' && ' · not published'}
        </p>
      </Box>
      <DataTable
        label={table.title}
        hasFixedColumn
        rows={table.rows}
        rowKey={(row, index) => `${row.head} ${index}`}
        columns={columns}
      />
      {table.note !== null && table.note !== undefined && (
        <p className={classes.note}>{table.note}</p>
      )}
    </Box>
  );
}

function Head({ head, colour }: { head: string; colour: number | undefined }) {
  if (colour === undefined) return head;
  return (
    <span className={ui.inline}>
      <Marker colour={colour} size={10} /> {head}
    </span>
  );
}

interface CellProps {
  cell: TableCell;
  withMeasured: boolean;
  isPicture: boolean;
}

function Cell({ cell, withMeasured, isPicture }: CellProps) {
  const { printed } = cell;
  return (
    <div className={classes.cell}>
      <span className={classes.printed} data-empty={printed === ''}>
        {printed === '' ? (isPicture ? 'picture' : '') : printed}
      </span>
      {cell.failed && <span className={classes.none}>unresponsive</span>}
      {withMeasured &&
        cell.figures.map((figure, index) => (
          <MeasuredFigure key={index} figure={figure} many={cell.figures.length > 1} />
        ))}
    </div>
  );
}

function MeasuredFigure({ figure, many }: { figure: FigureComparisonOut; many: boolean }) {
  const { measured, metric, ratio } = figure;
  if (metric === null || metric === undefined) {
    return (
      <Reason text={measured.reason} className={classes.none}>
        not comparable
      </Reason>
    );
  }
  const label = many ? `${words(metric.replace(/_[a-z]+$/, ''))} ` : '';
  const { summary } = measured;
  if (measured.unresponsive && (summary === null || summary === undefined || ratio === null)) {
    return (
      <Box component="span" fz="xs" fw={400} c="var(--tacho-bad)">
        {label}unresponsive
      </Box>
    );
  }
  if (summary === null || summary === undefined) {
    const reason = measured.reason ?? 'No result.';
    return (
      <Reason text={reason} className={classes.none}>
        {label}–
      </Reason>
    );
  }
  const interval = formatRatioInterval(figure);
  const warnings = measured.verdicts.map(words).join(', ');
  const text = `${label}${formatMeasured(figure)}`;
  return (
    <span className={classes.measured} data-excluded={measured.excluded}>
      {warnings === '' || measured.excluded ? (
        <span>{text}</span>
      ) : (
        <Hint text={warnings}>{text}</Hint>
      )}
      {ratio !== null && ratio !== undefined && (
        <Box component="span" fz="xs" fw={400}>
          {formatRatio(ratio)}
        </Box>
      )}
      {interval !== null && <span className={classes.interval}>{interval}</span>}
      {measured.unresponsive && (
        <Box component="span" fz="xs" fw={400} c="var(--tacho-bad)">
          unresponsive
        </Box>
      )}
      {measured.excluded && (
        <Box component="span" fz="xs" c="var(--tacho-warn)">
          excluded: {warnings}
        </Box>
      )}
    </span>
  );
}

interface ReasonProps {
  text: string | null | undefined;
  className: string | undefined;
  children: ReactNode;
}

/** Shows that there is no number, with the reason. */
function Reason({ text, className, children }: ReasonProps) {
  if (text === null || text === undefined) return <span className={className}>{children}</span>;
  return (
    <Hint text={text} className={className}>
      {children}
      <VisuallyHidden> {text}</VisuallyHidden>
    </Hint>
  );
}

/** Shows how far our order matches the published one. */
export function Order({ order }: { order: OrderOut | undefined }) {
  if (order === undefined) return null;
  if (order.kendall === null || order.kendall === undefined) {
    return (
      <Reason text={order.reason} className={classes.none}>
        –
      </Reason>
    );
  }
  const [tau, rho] = [order.kendall, order.spearman ?? 0].map(formatCoefficient);
  return (
    <Hint
      className={classes.order}
      text={`Kendall's τ ${tau ?? ''}, Spearman's ρ ${rho ?? ''}, p ${(order.p_value ?? 1).toPrecision(2)}, of ${order.systems.join(', ')}`}
    >
      <span
        className={classes.tau}
        data-sign={order.kendall > 0.5 ? 'same' : order.kendall < 0 ? 'opposite' : 'mixed'}
      >
        τ {tau}
      </span>
      <span className={classes.interval}>
        ρ {rho} · n {order.n}
      </span>
    </Hint>
  );
}
