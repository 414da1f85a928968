import { Button, Switch } from '@mantine/core';
import { api } from '@/api/client';
import type { ResetLinkOut, UserOut } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { ConfirmButton } from '@/components/ConfirmButton';
import { actionColumn, type Column, ROW_TITLE, named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { OutcomeBadge } from '@/components/OutcomeBadge';
import { Refusal } from '@/components/Refusal';
import ui from '@/components/ui.module.css';

interface UserTableProps {
  users: readonly UserOut[];
  /** Id of the operator who looks at the table; null without an account. */
  self: string | null;
  /** Receives a link that sets a new password, which is shown once. */
  onReset: (user: UserOut, link: ResetLinkOut) => void;
}

/** Lists users. Operators make others operators, disable them and reset their passwords. */
export function UserTable({ users, self, onReset }: UserTableProps) {
  const columns: readonly Column<UserOut>[] = [
    {
      header: 'Name',
      ...ROW_TITLE,
      sortBy: ({ name }) => name,
      cell: (user) => (
        <div className="wraps">
          {user.name}
          {user.id === self && <span className={ui.quiet}> (you)</span>}
          <div className={ui.quiet}>{user.email}</div>
        </div>
      ),
    },
    {
      header: 'Workspaces',
      wraps: true,
      cell: ({ roles }) =>
        roles.length === 0 ? (
          <span className={ui.quiet}>none</span>
        ) : (
          roles.map(({ workspace, role }) => (
            <div key={workspace}>
              {workspace} <span className={ui.quiet}>{role}</span>
            </div>
          ))
        ),
    },
    {
      ...named('Last seen'),
      card: 'foot',
      sortBy: ({ last_seen_at }) => last_seen_at,
      cell: ({ last_seen_at, disabled_at }) => {
        if (disabled_at !== null) return <OutcomeBadge outcome="disabled" />;
        if (last_seen_at === null) return <span className={ui.quiet}>Not signed in</span>;
        return <Ago at={last_seen_at} />;
      },
    },
    {
      ...named('Operator'),
      wraps: true,
      cell: (user) => <OperatorSwitch user={user} />,
    },
    actionColumn(
      (user) => (
        <span className={ui.inline}>
          <Reset user={user} onReset={(link) => onReset(user, link)} />
          <Disable user={user} />
        </span>
      ),
      'line',
    ),
  ];
  return (
    <DataTable
      label="Users"
      layout="cards"
      columns={columns}
      rows={users}
      rowKey={({ id }) => id}
    />
  );
}

function OperatorSwitch({ user }: { user: UserOut }) {
  const change = api.useMutation('patch', '/api/v1/users/{user_id}');
  return (
    <Switch
      size="xs"
      aria-label={`${user.name} is an operator`}
      checked={change.isPending ? change.variables.body.is_operator === true : user.is_operator}
      disabled={change.isPending}
      error={change.error?.message}
      onChange={(event) =>
        change.mutate({
          params: { path: { user_id: user.id } },
          body: { is_operator: event.currentTarget.checked },
        })
      }
    />
  );
}

function Disable({ user }: { user: UserOut }) {
  const change = api.useMutation('patch', '/api/v1/users/{user_id}');
  const isDisabled = user.disabled_at !== null;
  if (isDisabled) {
    return (
      <>
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Enable ${user.name}`}
          loading={change.isPending}
          onClick={() =>
            change.mutate({ params: { path: { user_id: user.id } }, body: { disabled: false } })
          }
        >
          Enable
        </Button>
        {change.error && <Refusal error={change.error} />}
      </>
    );
  }
  return (
    <ConfirmButton
      label="Disable…"
      name={`Disable ${user.name}…`}
      title={`Disable ${user.name}?`}
      action="Disable user"
      sending={change}
      request={{ params: { path: { user_id: user.id } }, body: { disabled: true } }}
    >
      {user.name} is signed out everywhere and cannot sign in, and the access tokens stop working.
      You can enable the user again.
    </ConfirmButton>
  );
}

function Reset({ user, onReset }: { user: UserOut; onReset: (link: ResetLinkOut) => void }) {
  const reset = api.useMutation('post', '/api/v1/users/{user_id}/password-reset');
  return (
    <ConfirmButton
      label="Reset password…"
      name={`Reset the password of ${user.name}…`}
      title={`Reset the password of ${user.name}?`}
      action="Create link"
      isDangerous={false}
      sending={reset}
      request={{ params: { path: { user_id: user.id } } }}
      onSuccess={onReset}
    >
      This creates a link with which {user.name} sets a new password. The current password works
      until then.
    </ConfirmButton>
  );
}
