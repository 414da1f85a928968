import type { Disk } from '@/api/installation';
import type { Column } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { formatValue } from '@/lib/format';

/** Lists disks with their free space, and the space that Tacho needs on each. */
export function DiskTable({ disks }: { disks: readonly Disk[] }) {
  return (
    <DataTable
      label="Disks"
      layout="cards"
      columns={COLUMNS}
      rows={disks}
      rowKey={({ name }) => name}
    />
  );
}

const COLUMNS: readonly Column<Disk>[] = [
  {
    id: 'name',
    header: 'Disk of the',
    isRowHeader: true,
    card: 'title',
    cell: ({ name }) => name,
  },
  {
    id: 'free',
    header: 'Free',
    cardLabel: 'Free',
    isNumeric: true,
    tone: (disk) => (disk.free_bytes < disk.needed_bytes ? 'bad' : undefined),
    cell: ({ free_bytes: free, size_bytes: size }) =>
      `${formatValue(free, 'B')} (${formatValue(free / size, 'share')})`,
  },
  {
    id: 'size',
    header: 'Size',
    cardLabel: 'Size',
    isNumeric: true,
    cell: ({ size_bytes: size }) => formatValue(size, 'B'),
  },
  {
    id: 'needed',
    header: 'Nothing new starts below',
    cardLabel: 'Nothing new starts below',
    isNumeric: true,
    cell: ({ needed_bytes: needed }) => (needed === 0 ? 'no limit' : formatValue(needed, 'B')),
  },
];
