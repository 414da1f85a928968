import { useNavigate } from '@tanstack/react-router';
import { api, LEAVES } from '@/api/client';
import { ROLES } from '@/api/members';
import type { MemberOut, SessionOut } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { ConfirmButton } from '@/components/ConfirmButton';
import type { Column } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import ui from '@/components/ui.module.css';
import { RoleSelect } from './RoleSelect';

/** Lists the members of the workspace. Owners change roles and remove members. */
export function MemberTable({
  members,
  session,
}: {
  members: readonly MemberOut[];
  session: SessionOut;
}) {
  const isOwner = session.permissions.includes('own');
  const workspace = session.workspace?.name ?? '';
  const columns: readonly Column<MemberOut>[] = [
    {
      id: 'name',
      header: 'Name',
      isRowHeader: true,
      wraps: true,
      card: 'title',
      sortBy: ({ name }) => name,
      cell: (member) => (
        <div className="wraps">
          {member.name}
          {member.user_id === session.user?.id && <span className={ui.quiet}> (you)</span>}
          <div className={ui.quiet}>{member.email}</div>
        </div>
      ),
    },
    {
      id: 'role',
      header: 'Role',
      wraps: true,
      sortBy: ({ role }) => ROLES.findIndex((entry) => entry.role === role),
      card: 'line',
      cell: (member) =>
        isOwner ? (
          <RoleSelect member={member} />
        ) : (
          (ROLES.find(({ role }) => role === member.role)?.name ?? member.role)
        ),
    },
    {
      id: 'since',
      header: 'Member since',
      card: 'foot',
      cardLabel: 'Member since',
      sortBy: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Ago at={created_at} />,
    },
    {
      id: 'actions',
      header: null,
      label: 'Actions',
      card: 'end',
      cell: (member) => {
        if (member.user_id === session.user?.id) return <Leave workspace={workspace} />;
        return isOwner ? <Remove member={member} workspace={workspace} /> : null;
      },
    },
  ];
  return (
    <DataTable
      label="Members"
      layout="cards"
      columns={columns}
      rows={members}
      rowKey={({ user_id }) => user_id}
      empty="Nobody has joined yet."
    />
  );
}

function Remove({ member, workspace }: { member: MemberOut; workspace: string }) {
  const remove = api.useMutation('delete', '/api/v1/members/{user_id}');
  return (
    <ConfirmButton
      label="Remove…"
      name={`Remove ${member.name}…`}
      title={`Remove ${member.name} from ${workspace}?`}
      action="Remove member"
      sending={remove}
      onConfirm={(close) => {
        remove.mutate({ params: { path: { user_id: member.user_id } } }, { onSuccess: close });
      }}
    >
      {member.name} can no longer see private and unlisted runs of this workspace, and the personal
      access tokens for it stop working. The member’s runs are kept.
    </ConfirmButton>
  );
}

function Leave({ workspace }: { workspace: string }) {
  const leave = api.useMutation('delete', '/api/v1/membership', LEAVES);
  const navigate = useNavigate();
  return (
    <ConfirmButton
      label="Leave…"
      title={`Leave ${workspace}?`}
      action="Leave workspace"
      sending={leave}
      onConfirm={(close) => {
        leave.mutate(
          {},
          {
            onSuccess: () => {
              close();
              void navigate({ to: '/' });
            },
          },
        );
      }}
    >
      You can no longer see its private and unlisted runs, and your access tokens for it stop
      working. Only an owner can invite you again.
    </ConfirmButton>
  );
}
