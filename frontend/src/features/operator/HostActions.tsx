import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { explainField } from '@/api/client';
import { type Host, useChangeHost } from '@/api/hosts';
import { ConfirmButton } from '@/components/ConfirmButton';
import { DialogButton } from '@/components/DialogButton';
import { Refusal } from '@/components/Refusal';
import classes from './Operator.module.css';

/** Pauses a host after a confirmation, or resumes it. */
export function PauseHost({ host }: { host: Host }) {
  const change = useChangeHost(host.name);
  if (host.status === 'paused') {
    return (
      <>
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Resume ${host.name}`}
          loading={change.isPending}
          onClick={() => {
            change.mutate({ is_paused: false });
          }}
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
      onConfirm={(close) => {
        change.mutate({ is_paused: true }, { onSuccess: close });
      }}
    >
      {host.name} finishes its current trial and takes no new ones. Its runs wait until you resume
      it.
    </ConfirmButton>
  );
}

/** Gives a host that joined with a key another name. */
export function RenameHost({ host }: { host: Host }) {
  const change = useChangeHost(host.name);
  return (
    <DialogButton
      label="Rename…"
      name={`Rename ${host.name}…`}
      title={`Rename ${host.name}`}
      sending={change}
    >
      {(close) => (
        <NameForm
          host={host}
          sending={change}
          onSubmit={(name) => {
            change.mutate({ name }, { onSuccess: close });
          }}
        />
      )}
    </DialogButton>
  );
}

interface NameFormProps {
  host: Host;
  sending: { error: Error | null; isPending: boolean };
  onSubmit: (name: string) => void;
}

function NameForm({ host, sending, onSubmit }: NameFormProps) {
  const [name, setName] = useState(host.name);
  const fault = explainField(sending.error, 'name');
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(name.trim());
      }}
    >
      <TextInput
        label="Name"
        description="Results, schedules and permalinks stay."
        maxLength={63}
        required
        data-autofocus
        value={name}
        error={fault}
        onChange={(event) => {
          setName(event.currentTarget.value);
        }}
      />
      {sending.error && fault === null && <Refusal error={sending.error} />}
      <div>
        <Button type="submit" loading={sending.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
