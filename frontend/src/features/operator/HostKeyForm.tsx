import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { explainField } from '@/api/client';
import { type NewHostKey, useCreateHostKey } from '@/api/hosts';
import { Refusal } from '@/components/Refusal';
import classes from './Operator.module.css';

/** Creates a key with which a new machine joins as a bench host. */
export function HostKeyForm({ onCreated }: { onCreated: (key: NewHostKey) => void }) {
  const create = useCreateHostKey();
  const [name, setName] = useState('');
  const fault = explainField(create.error, 'name');
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate(name.trim(), { onSuccess: onCreated });
      }}
    >
      <TextInput
        label="Name of the host"
        description="Such as “bench-02”. A host that joined before gets new credentials."
        maxLength={63}
        required
        value={name}
        error={fault}
        onChange={(event) => {
          setName(event.currentTarget.value);
        }}
      />
      {create.error && fault === null && <Refusal error={create.error} />}
      <div>
        <Button type="submit" loading={create.isPending}>
          Create key
        </Button>
      </div>
    </form>
  );
}
