import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { api } from '@/api/client';
import type { NewHostKeyOut } from '@/api/schema';
import { EntryForm } from '@/components/EntryForm';

/** Creates a key with which a new machine joins as a bench host. */
export function HostKeyForm({ onCreated }: { onCreated: (key: NewHostKeyOut) => void }) {
  const create = api.useMutation('post', '/api/v1/host-keys');
  const form = useForm({ initialValues: { name: '' } });
  return (
    <EntryForm
      form={form}
      button="Create key"
      onSend={({ name }) => create.mutateAsync({ body: { name: name.trim() } }).then(onCreated)}
    >
      <TextInput
        label="Name of the host"
        description="Such as “bench-02”. A host that joined before gets new credentials."
        maxLength={63}
        required
        {...form.getInputProps('name')}
      />
    </EntryForm>
  );
}
