import { Button, PasswordInput, TextInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { api } from '@/api/client';
import { useNewSession } from '@/api/session';
import { EntryForm } from '@/components/EntryForm';
import ui from '@/components/ui.module.css';
import { explainFailure } from './failures';

const WRONG =
  'The e-mail address or the password is wrong, or an operator has disabled the account.';

interface PasswordFormProps {
  /** Whether this installation sends links that set a new password. */
  resets: boolean;
  onDone: () => void;
}

/** Signs in with an e-mail address and a password. */
export function PasswordForm({ resets, onDone }: PasswordFormProps) {
  const signIn = api.useMutation('post', '/api/v1/session', useNewSession());
  const form = useForm({ initialValues: { email: '', password: '' } });
  const [hasForgotten, setHasForgotten] = useState(false);
  if (hasForgotten) {
    return <ResetForm email={form.values.email} onBack={() => setHasForgotten(false)} />;
  }
  return (
    <>
      <EntryForm
        form={form}
        button="Sign in"
        explain={(error) => ({ password: explainFailure(error, WRONG) })}
        actions={
          resets && (
            <Button variant="subtle" onClick={() => setHasForgotten(true)}>
              Forgot your password?
            </Button>
          )
        }
        onSend={({ email, password }) =>
          signIn.mutateAsync({ body: { email: email.trim(), password } }).then(onDone)
        }
      >
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          required
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          {...form.getInputProps('password')}
        />
      </EntryForm>
      {!resets && (
        <p className={ui.quiet}>
          If you have forgotten your password, ask an operator of this installation for a link that
          sets another one.
        </p>
      )}
    </>
  );
}

interface ResetFormProps {
  /** The address that the person entered to sign in. */
  email: string;
  onBack: () => void;
}

/** Requests a link that sets a new password. */
function ResetForm({ email: entered, onBack }: ResetFormProps) {
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
