import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useChangeAccount } from '@/api/account';
import type { Session } from '@/api/session';
import { Refusal } from '@/components/Refusal';
import classes from './Account.module.css';

/** Changes the name of the person who is signed in. */
export function ProfileForm({ user }: { user: NonNullable<Session['user']> }) {
  const change = useChangeAccount();
  const [name, setName] = useState(user.name);
  const isChanged = name.trim() !== '' && name.trim() !== user.name;
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate({ name: name.trim() });
      }}
    >
      <TextInput
        label="Name"
        description="As other members see it."
        autoComplete="name"
        maxLength={200}
        required
        value={name}
        onChange={(event) => {
          setName(event.currentTarget.value);
        }}
      />
      {change.error && <Refusal error={change.error} />}
      {change.isSuccess && !isChanged && (
        <p className={classes.done} role="status">
          Saved.
        </p>
      )}
      <div>
        <Button type="submit" variant="default" loading={change.isPending} disabled={!isChanged}>
          Save
        </Button>
      </div>
    </form>
  );
}
