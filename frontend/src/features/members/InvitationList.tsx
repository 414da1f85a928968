import { api } from '@/api/client';
import { ROLES } from '@/api/members';
import type { InvitationOut } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { ConfirmButton } from '@/components/ConfirmButton';
import { actionColumn, type Column, ROW_TITLE, named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import ui from '@/components/ui.module.css';
import { formatDateTime } from '@/lib/format';

const COLUMNS: readonly Column<InvitationOut>[] = [
  {
    header: 'Invited',
    ...ROW_TITLE,
    cell: ({ email }) => <span className="wraps">{email ?? 'Anyone with the link'}</span>,
  },
  {
    header: 'Role',
    card: 'value',
    cell: ({ role }) => ROLES.find((entry) => entry.role === role)?.name ?? role,
  },
  {
    header: 'Created',
    card: 'line',
    cell: ({ created_at, created_by }) => (
      <>
        <Ago at={created_at} />
        {created_by !== null && <span className={ui.quiet}> by {created_by}</span>}
      </>
    ),
  },
  {
    ...named('Expires'),
    card: 'foot',
    cell: ({ expires_at }) => <time dateTime={expires_at}>{formatDateTime(expires_at)}</time>,
  },
  actionColumn((invitation) => <Revoke invitation={invitation} />),
];

/** Lists the invitations that can still be used. */
export function InvitationList({ invitations }: { invitations: readonly InvitationOut[] }) {
  return (
    <DataTable
      label="Open invitations"
      layout="cards"
      columns={COLUMNS}
      rows={invitations}
      rowKey={({ id }) => id}
      empty="No open invitations."
    />
  );
}

function Revoke({ invitation }: { invitation: InvitationOut }) {
  const revoke = api.useMutation('delete', '/api/v1/invitations/{invitation_id}');
  const whom = invitation.email ?? 'anyone with the link';
  return (
    <ConfirmButton
      label="Revoke…"
      name={`Revoke the invitation of ${whom}…`}
      title={`Revoke the invitation of ${whom}?`}
      action="Revoke invitation"
      sending={revoke}
      request={{ params: { path: { invitation_id: invitation.id } } }}
    >
      Its link stops working at once.
    </ConfirmButton>
  );
}
