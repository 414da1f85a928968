import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { api } from '@/api/client';
import { EntryForm } from '@/components/EntryForm';

interface ResetFormProps {
  /** The address that the person entered to sign in. */
  email: string;
  onBack: () => void;
}

/** Requests a link that sets a new password. */
export function ResetForm({ email: entered, onBack }: ResetFormProps) {
  const request = api.useMutation('post', '/api/v1/links/reset');
  const form = useForm({ initialValues: { email: entered } });
  const back = (
    <Button variant="default" onClick={onBack}>
      Back
    </Button>
  );
  if (request.isSuccess) {
    return (
      <Stack role="status" align="start">
        <p className="wraps">
          If there is an account with the address {request.variables.body.email}, a link is on its
          way to it. It sets a new password, and works once within 24 hours.
        </p>
        {back}
      </Stack>
    );
  }
  return (
    <EntryForm
      form={form}
      button="Send link"
      actions={back}
      onSend={({ email }) => request.mutateAsync({ body: { email: email.trim() } })}
    >
      <TextInput
        label="E-mail"
        description="The link sets a new password for your account."
        type="email"
        autoComplete="username"
        autoCapitalize="none"
        required
        data-autofocus
        {...form.getInputProps('email')}
      />
    </EntryForm>
  );
}
