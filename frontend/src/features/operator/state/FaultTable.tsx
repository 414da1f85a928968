import { Link } from '@tanstack/react-router';
import type { FaultOut } from '@/api/schema';
import { type Column, named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { EmptyState } from '@/components/States';
import ui from '@/components/ui.module.css';
import { formatDateTime, words } from '@/lib/format';

interface NumberedFault extends FaultOut {
  number: number;
}

/** Lists the newest failed trials: where, when, the party at fault, and what to do. */
export function FaultTable({ faults }: { faults: readonly FaultOut[] }) {
  if (faults.length === 0) {
    return <EmptyState title="No faults">No trial of a recent run failed.</EmptyState>;
  }
  return (
    <DataTable
      label="Recent faults"
      layout="cards"
      columns={COLUMNS}
      rows={faults.map((fault, number) => ({ ...fault, number }))}
      rowKey={({ number }) => String(number)}
    />
  );
}

const COLUMNS: readonly Column<NumberedFault>[] = [
  {
    header: 'Time',
    isRowHeader: true,
    card: 'title',
    cell: ({ at }) =>
      at === null ? (
        <span className={ui.quiet}>–</span>
      ) : (
        <span className="nowrap">{formatDateTime(at)}</span>
      ),
  },
  {
    ...named('Host'),
    card: 'foot',
    wraps: true,
    cell: ({ host }) => (
      <Link to="/hosts/$name" params={{ name: host }}>
        {host}
      </Link>
    ),
  },
  {
    ...named('Party at fault'),
    card: 'foot',
    cell: ({ cause }) => words(cause),
  },
  { ...named('While'), card: 'foot', cell: ({ stage }) => words(stage) },
  { ...named('Failure'), wraps: true, cell: ({ code }) => words(code) },
  {
    ...named('What to do'),
    wraps: true,
    width: '34%',
    cell: ({ action }) => action,
  },
];
