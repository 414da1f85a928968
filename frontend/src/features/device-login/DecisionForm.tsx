import { Button, Radio } from '@mantine/core';
import { useState } from 'react';
import { type DeviceLogin, useDecideDeviceLogin } from '@/api/device-logins';
import type { Permission, Session } from '@/api/session';
import { type Scope, SCOPES } from '@/api/tokens';
import { Facts } from '@/components/Facts';
import { Notice } from '@/components/Notice';
import { Refusal } from '@/components/Refusal';
import { formatDateTime } from '@/lib/format';
import classes from './DeviceLogin.module.css';

/** The permission that a role must include before its holder can give the scope to a token. */
const NEEDED: Record<Scope, Permission> = { read: 'view', run: 'run', manage: 'manage' };

interface DecisionFormProps {
  code: string;
  login: DeviceLogin;
  session: Session;
  onDecided: (isApproved: boolean) => void;
}

/** Shows the program that requests access, and approves or denies it. */
export function DecisionForm({ code, login, session, onDecided }: DecisionFormProps) {
  const decide = useDecideDeviceLogin();
  const allowed = SCOPES.filter(({ scope }) => session.permissions.includes(NEEDED[scope]));
  const [scope, setScope] = useState<Scope | undefined>(
    (allowed.find((entry) => entry.scope === login.scope) ?? allowed.at(-1))?.scope,
  );
  const send = (approve: boolean) => {
    decide.mutate(
      { user_code: code, approve, ...(approve && scope && { scope }) },
      {
        onSuccess: () => {
          onDecided(approve);
        },
      },
    );
  };
  const isSending = (approve: boolean) => decide.isPending && decide.variables.approve === approve;
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        send(true);
      }}
    >
      <Notice title="Only continue if you started this">
        The program below gets access with your rights. If another person sent you the code, deny
        it.
      </Notice>
      <Facts
        facts={[
          ['Program', login.client_name],
          ['Network address', login.address],
          ['Started', formatDateTime(login.started_at)],
          ['Code', code],
          ['Workspace', session.workspace?.name],
        ]}
      />
      {scope === undefined ? (
        <p>You are not a member of any workspace, so you can only deny this.</p>
      ) : (
        <Radio.Group
          label="Scope"
          description="The token never has more rights than your role in the workspace. It works for 90 days."
          value={scope}
          onChange={(value) => {
            setScope(value);
          }}
        >
          <div className={classes.choices}>
            {SCOPES.map((entry) => (
              <Radio
                key={entry.scope}
                value={entry.scope}
                label={entry.name}
                description={entry.meaning}
                disabled={!allowed.includes(entry)}
              />
            ))}
          </div>
        </Radio.Group>
      )}
      {decide.error && <Refusal error={decide.error} />}
      <div className={classes.actions}>
        {scope !== undefined && (
          <Button type="submit" loading={isSending(true)} disabled={decide.isPending}>
            Approve
          </Button>
        )}
        <Button
          variant="default"
          loading={isSending(false)}
          disabled={decide.isPending}
          onClick={() => {
            send(false);
          }}
        >
          Deny
        </Button>
      </div>
    </form>
  );
}
