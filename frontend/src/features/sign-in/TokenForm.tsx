import { PasswordInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { api } from '@/api/client';
import { useNewSession } from '@/api/session';
import { EntryForm } from '@/components/EntryForm';
import { explainFailure } from './failures';

/** Signs in with TACHO_TOKEN. */
export function TokenForm({ onDone }: { onDone: () => void }) {
  const signIn = api.useMutation('post', '/api/v1/session', useNewSession());
  const form = useForm({ initialValues: { token: '' } });
  return (
    <EntryForm
      form={form}
      button="Sign in with token"
      explain={(error) => ({
        token: explainFailure(error, 'This token is wrong. Check it and try again.'),
      })}
      onSend={({ token }) => signIn.mutateAsync({ body: { token: token.trim() } }).then(onDone)}
    >
      <PasswordInput
        label="Token"
        description="The TACHO_TOKEN of this installation. Ask its operator if you do not have it."
        autoComplete="off"
        required
        {...form.getInputProps('token')}
      />
    </EntryForm>
  );
}
