import { Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import type { PartHealth } from '@/api/schema';
import type { Column } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { IconBadge } from '@/components/IconBadge';
import { formatDateTime } from '@/lib/format';

/** Lists the parts that `tacho up` supervises. */
export function PartTable({ parts }: { parts: readonly PartHealth[] }) {
  if (parts.length === 0) {
    return (
      <Text c="dimmed" my="md">
        Another program, such as Docker, restarts the parts of this installation.
      </Text>
    );
  }
  return (
    <DataTable
      label="Parts"
      layout="cards"
      columns={COLUMNS}
      rows={parts}
      rowKey={({ name }) => name}
    />
  );
}

const COLUMNS: readonly Column<PartHealth>[] = [
  { header: 'Part', isRowHeader: true, card: 'title', cell: ({ name }) => name },
  {
    header: 'State',
    card: 'value',
    cell: ({ status }) =>
      status === 'ok' ? (
        <IconBadge look={{ icon: IconCheck, tone: 'good' }} text="running" />
      ) : (
        <IconBadge look={{ icon: IconX, tone: 'bad' }} text="keeps stopping" />
      ),
  },
  { header: 'Restarts', card: 'hidden', isNumeric: true, cell: ({ restarts }) => restarts },
  {
    header: 'Last end',
    wraps: true,
    cell: ({ reason, failed_at: at }) =>
      reason === null ? null : `${reason}${at === null ? '' : `, ${formatDateTime(at)}`}`,
  },
];
