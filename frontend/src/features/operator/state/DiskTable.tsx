import { Link } from '@tanstack/react-router';
import type { DiskOut, HostStateOut } from '@/api/schema';
import { type Column, named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { formatValue } from '@/lib/format';

interface DiskOfMachine extends DiskOut {
  /** Null for the disks of the machine of the API. */
  host: string | null;
}

interface Props {
  /** The disks of the machine of the API. */
  disks: readonly DiskOut[];
  hosts: readonly HostStateOut[];
}

/** Lists the disks of all machines with their free space, and the space that Tacho needs on each. */
export function DiskTable({ disks, hosts }: Props) {
  const rows: DiskOfMachine[] = [
    ...disks.map((disk) => ({ ...disk, host: null })),
    ...hosts.flatMap(({ name: host, disks: ofHost }) => ofHost.map((disk) => ({ ...disk, host }))),
  ];
  return (
    <DataTable
      label="Disks"
      layout="cards"
      columns={COLUMNS}
      rows={rows}
      rowKey={({ host, name }) => `${host ?? ''}/${name}`}
    />
  );
}

const COLUMNS: readonly Column<DiskOfMachine>[] = [
  { header: 'Disk of the', isRowHeader: true, card: 'title', cell: ({ name }) => name },
  {
    ...named('Machine'),
    wraps: true,
    cell: ({ host }) =>
      host === null ? (
        'API'
      ) : (
        <Link to="/hosts/$name" params={{ name: host }}>
          {host}
        </Link>
      ),
  },
  {
    ...named('Free'),
    card: 'value',
    isNumeric: true,
    tone: (disk) => (disk.free_bytes < disk.needed_bytes ? 'bad' : undefined),
    cell: ({ free_bytes: free, size_bytes: size }) =>
      `${formatValue(free, 'B')} (${formatValue(size === 0 ? 0 : free / size, 'share')})`,
  },
  {
    ...named('Size'),
    card: 'foot',
    isNumeric: true,
    cell: ({ size_bytes: size }) => formatValue(size, 'B'),
  },
  {
    ...named('Nothing new starts below'),
    card: 'foot',
    isNumeric: true,
    cell: ({ needed_bytes: needed }) => (needed === 0 ? 'no limit' : formatValue(needed, 'B')),
  },
];
