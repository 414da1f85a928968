import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type NewHostKey, useCreateHostKey } from '@/api/hosts';
import { EntryForm } from '@/components/EntryForm';

/** Creates a key with which a new machine joins as a bench host. */
export function HostKeyForm({ onCreated }: { onCreated: (key: NewHostKey) => void }) {
  const create = useCreateHostKey();
  const form = useForm({ initialValues: { name: '' } });
  return (
    <EntryForm
      form={form}
      button="Create key"
      onSend={({ name }) => create.mutateAsync(name.trim()).then(onCreated)}
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
