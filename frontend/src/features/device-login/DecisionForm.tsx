import { Button, Radio, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { api } from '@/api/client';
import type { DeviceLoginOut, Permission, SessionOut, TokenScope } from '@/api/schema';
import { SCOPES } from '@/api/tokens';
import { EntryForm } from '@/components/EntryForm';
import { Facts } from '@/components/Facts';
import { Notice } from '@/components/Notice';
import { formatDateTime } from '@/lib/format';

/** The permission that a role must include before its holder can give the scope to a token. */
const NEEDED: Record<TokenScope, Permission> = { read: 'view', run: 'run', manage: 'manage' };

interface DecisionFormProps {
  code: string;
  login: DeviceLoginOut;
  session: SessionOut;
  onDecided: (isApproved: boolean) => void;
}

/** Shows the program that requests access, and approves or denies it. */
export function DecisionForm({ code, login, session, onDecided }: DecisionFormProps) {
  const decide = api.useMutation('post', '/api/v1/device-logins/decide');
  const allowed = SCOPES.filter(({ scope }) => session.permissions.includes(NEEDED[scope]));
  const first = allowed.find((entry) => entry.scope === login.scope) ?? allowed.at(-1);
  const form = useForm({ initialValues: { scope: first?.scope } });
  const { scope } = form.values;
  const isSending = (approve: boolean) =>
    decide.isPending && decide.variables.body.approve === approve;
  return (
    <EntryForm
      form={form}
      button={scope === undefined ? null : 'Approve'}
      loading={isSending(true)}
      disabled={decide.isPending}
      actions={
        <Button
          type="submit"
          variant="default"
          value="deny"
          loading={isSending(false)}
          disabled={decide.isPending}
        >
          Deny
        </Button>
      }
      onSend={async (_, submitter) => {
        const approve = submitter?.getAttribute('value') !== 'deny';
        await decide.mutateAsync({
          body: { user_code: code, approve, ...(approve && scope && { scope }) },
        });
        onDecided(approve);
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
          {...form.getInputProps('scope')}
        >
          <Stack gap="xs" my={4}>
            {SCOPES.map((entry) => (
              <Radio
                key={entry.scope}
                value={entry.scope}
                label={entry.name}
                description={entry.meaning}
                disabled={!allowed.includes(entry)}
              />
            ))}
          </Stack>
        </Radio.Group>
      )}
    </EntryForm>
  );
}
