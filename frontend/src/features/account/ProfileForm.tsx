import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { api } from '@/api/client';
import type { SessionOut } from '@/api/schema';
import { EntryForm } from '@/components/EntryForm';

/** Changes the name of the person who is signed in. */
export function ProfileForm({ user }: { user: NonNullable<SessionOut['user']> }) {
  const change = api.useMutation('patch', '/api/v1/account');
  const form = useForm({ initialValues: { name: user.name } });
  const name = form.values.name.trim();
  return (
    <EntryForm
      form={form}
      button="Save"
      done="Saved."
      disabled={name === '' || name === user.name}
      onSend={() => change.mutateAsync({ body: { name } })}
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
