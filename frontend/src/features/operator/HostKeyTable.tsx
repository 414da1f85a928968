import { api } from '@/api/client';
import type { HostKeyOut } from '@/api/schema';
import { ConfirmButton } from '@/components/ConfirmButton';
import { actionColumn, type Column, ROW_TITLE, named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { OutcomeBadge } from '@/components/OutcomeBadge';
import { formatDateTime } from '@/lib/format';

/** Lists the keys that wait for their machines. */
export function HostKeyTable({ keys }: { keys: readonly HostKeyOut[] }) {
  return (
    <DataTable
      label="Invited hosts"
      layout="cards"
      columns={COLUMNS}
      rows={keys}
      rowKey={({ name }) => name}
    />
  );
}

const COLUMNS: readonly Column<HostKeyOut>[] = [
  { header: 'Invited host', ...ROW_TITLE, cell: ({ name }) => name },
  { ...named('State'), cell: () => <OutcomeBadge outcome="invited" /> },
  {
    ...named('Key expires'),
    cell: ({ expires_at }) => formatDateTime(expires_at),
  },
  actionColumn(({ name }) => <Withdraw name={name} />),
];

function Withdraw({ name }: { name: string }) {
  const withdraw = api.useMutation('delete', '/api/v1/host-keys/{name}');
  return (
    <ConfirmButton
      label="Withdraw…"
      name={`Withdraw the key of ${name}…`}
      title={`Withdraw the key of ${name}?`}
      action="Withdraw key"
      sending={withdraw}
      request={{ params: { path: { name } } }}
    >
      No machine can join with this key any more.
    </ConfirmButton>
  );
}
