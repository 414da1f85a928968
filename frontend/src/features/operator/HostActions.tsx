import { Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { api } from '@/api/client';
import type { HostOut, NewHostKeyOut } from '@/api/schema';
import { ConfirmButton } from '@/components/ConfirmButton';
import { DialogButton } from '@/components/DialogButton';
import { EntryForm } from '@/components/EntryForm';
import { Refusal } from '@/components/Refusal';
import { formatCount } from '@/lib/format';

/** Pauses a host after a confirmation, or resumes a host that is paused or leaves. */
export function PauseHost({ host }: { host: HostOut }) {
  const change = api.useMutation('patch', '/api/v1/hosts/{name}');
  if (host.status === 'paused' || host.status === 'leaving') {
    return (
      <>
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Resume ${host.name}`}
          loading={change.isPending}
          onClick={() =>
            change.mutate({
              params: { path: { name: host.name } },
              body: { is_paused: false, is_leaving: false },
            })
          }
        >
          Resume
        </Button>
        {change.error && <Refusal error={change.error} />}
      </>
    );
  }
  return (
    <ConfirmButton
      label="Pause…"
      name={`Pause ${host.name}…`}
      title={`Pause ${host.name}?`}
      action="Pause host"
      isDangerous={false}
      sending={change}
      request={{ params: { path: { name: host.name } }, body: { is_paused: true } }}
    >
      {host.name} finishes its current trial and takes no new ones. Its runs wait until you resume
      it.
    </ConfirmButton>
  );
}

/** Gives a host that joined with a key another name. */
export function RenameHost({ host }: { host: HostOut }) {
  const change = api.useMutation('patch', '/api/v1/hosts/{name}');
  return (
    <DialogButton label="Rename…" name={`Rename ${host.name}…`} title={`Rename ${host.name}`}>
      {(close) => (
        <NameForm
          host={host}
          onSend={(name) =>
            change
              .mutateAsync({ params: { path: { name: host.name } }, body: { name } })
              .then(close)
          }
        />
      )}
    </DialogButton>
  );
}

/** Lets a host leave after a confirmation: it finishes its current trial first. */
export function LeaveHost({ host }: { host: HostOut }) {
  const change = api.useMutation('patch', '/api/v1/hosts/{name}');
  return (
    <ConfirmButton
      label="Leave…"
      name={`Let ${host.name} leave…`}
      title={`Let ${host.name} leave?`}
      action="Let host leave"
      sending={change}
      request={{ params: { path: { name: host.name } }, body: { is_leaving: true } }}
    >
      It finishes its current trial, if it runs one, and takes no new ones. Until that trial has
      ended, Resume takes this back. Then its credentials do not work any more, and its runs that
      have not ended are cancelled
      {host.queued_trials > 0 && ` (${formatCount(host.queued_trials, 'trial')})`}. Its results
      stay, and it can join again with a new key.
    </ConfirmButton>
  );
}

/** Takes the credentials of a host away after a confirmation. */
export function RevokeHost({ host }: { host: HostOut }) {
  const revoke = api.useMutation('post', '/api/v1/hosts/{name}/revoke');
  return (
    <ConfirmButton
      label="Revoke…"
      name={`Revoke ${host.name}…`}
      title={`Revoke ${host.name}?`}
      action="Revoke host"
      sending={revoke}
      request={{ params: { path: { name: host.name } } }}
    >
      Its connections end at once, and its credentials do not work any more. Its runs that have not
      ended are cancelled
      {host.queued_trials > 0 && ` (${formatCount(host.queued_trials, 'trial')})`}. Its results
      stay, and it can join again with a new key.
    </ConfirmButton>
  );
}

interface NewKeyProps {
  host: HostOut;
  /** Receives the key, which is shown once. */
  onCreated: (key: NewHostKeyOut) => void;
}

/** Creates a key with which a revoked host joins again. */
export function NewKey({ host, onCreated }: NewKeyProps) {
  const create = api.useMutation('post', '/api/v1/host-keys');
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`New key for ${host.name}`}
        loading={create.isPending}
        onClick={() => create.mutate({ body: { name: host.name } }, { onSuccess: onCreated })}
      >
        New key
      </Button>
      {create.error && <Refusal error={create.error} />}
    </>
  );
}

interface NameFormProps {
  host: HostOut;
  onSend: (name: string) => Promise<unknown>;
}

function NameForm({ host, onSend }: NameFormProps) {
  const form = useForm({ initialValues: { name: host.name } });
  return (
    <EntryForm form={form} button="Save" onSend={({ name }) => onSend(name.trim())}>
      <TextInput
        label="Name"
        description="Results, schedules and permalinks stay."
        maxLength={63}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
    </EntryForm>
  );
}
