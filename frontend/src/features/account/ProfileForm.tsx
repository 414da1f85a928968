import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useChangeAccount } from '@/api/account';
import type { Session } from '@/api/session';
import { EntryForm } from '@/components/EntryForm';

/** Changes the name of the person who is signed in. */
export function ProfileForm({ user }: { user: NonNullable<Session['user']> }) {
  const change = useChangeAccount();
  const form = useForm({ initialValues: { name: user.name } });
  const name = form.values.name.trim();
  return (
    <EntryForm
      form={form}
      button="Save"
      done="Saved."
      disabled={name === '' || name === user.name}
      onSend={() => change.mutateAsync({ name })}
    >
      <TextInput
        label="Name"
        description="As other members see it."
        autoComplete="name"
        maxLength={200}
        required
        {...form.getInputProps('name')}
      />
    </EntryForm>
  );
}
