import { Select } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { api, LEAVES } from '@/api/client';
import { ROLES } from '@/api/members';
import type { MemberOut, SessionOut, Role } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { ConfirmButton } from '@/components/ConfirmButton';
import { actionColumn, type Column, ROW_TITLE, named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import ui from '@/components/ui.module.css';
import classes from './Members.module.css';

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
      header: 'Name',
      ...ROW_TITLE,
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
      ...named('Member since'),
      card: 'foot',
      sortBy: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Ago at={created_at} />,
    },
    actionColumn((member) => {
      if (member.user_id === session.user?.id) return <Leave workspace={workspace} />;
      return isOwner ? <Remove member={member} workspace={workspace} /> : null;
    }),
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
      request={{ params: { path: { user_id: member.user_id } } }}
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
      request={{}}
      onSuccess={() => void navigate({ to: '/' })}
    >
      You can no longer see its private and unlisted runs, and your access tokens for it stop
      working. Only an owner can invite you again.
    </ConfirmButton>
  );
}

const DATA = ROLES.map(({ role, name }) => ({ value: role, label: name }));

/** Changes the role of a member in place. A refused change shows its reason and the old role. */
function RoleSelect({ member }: { member: MemberOut }) {
  const change = api.useMutation('patch', '/api/v1/members/{user_id}');
  const shown: Role = change.isPending ? change.variables.body.role : member.role;
  return (
    <Select
      maw={320}
      classNames={{ wrapper: classes.input ?? '' }}
      size="xs"
      aria-label={`Role of ${member.name}`}
      data={DATA}
      value={shown}
      allowDeselect={false}
      disabled={change.isPending}
      error={change.error?.message}
      onChange={(role) => {
        if (role !== null && role !== member.role)
          change.mutate({ params: { path: { user_id: member.user_id } }, body: { role } });
      }}
    />
  );
}
