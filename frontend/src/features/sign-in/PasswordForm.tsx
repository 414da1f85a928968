import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSignIn } from '@/api/session';
import { explainFailure } from './failures';
import { ResetForm } from './ResetForm';
import classes from './SignIn.module.css';

const WRONG =
  'The e-mail address or the password is wrong, or an operator has disabled the account.';

interface PasswordFormProps {
  /** Whether this installation sends links that set a new password. */
  resets: boolean;
  onDone: () => void;
}

/** Signs in with an e-mail address and a password. */
export function PasswordForm({ resets, onDone }: PasswordFormProps) {
  const signIn = useSignIn();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [hasForgotten, setHasForgotten] = useState(false);
  if (hasForgotten) {
    return (
      <ResetForm
        email={email}
        onBack={() => {
          setHasForgotten(false);
        }}
      />
    );
  }
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate({ email: email.trim(), password }, { onSuccess: onDone });
      }}
    >
      <TextInput
        label="E-mail"
        type="email"
        autoComplete="username"
        autoCapitalize="none"
        required
        value={email}
        onChange={(event) => {
          setEmail(event.currentTarget.value);
        }}
      />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        required
        value={password}
        error={signIn.error && explainFailure(signIn.error, WRONG)}
        onChange={(event) => {
          setPassword(event.currentTarget.value);
        }}
      />
      <div className={classes.actions}>
        <Button type="submit" loading={signIn.isPending}>
          Sign in
        </Button>
        {resets && (
          <Button
            variant="subtle"
            onClick={() => {
              setHasForgotten(true);
            }}
          >
            Forgot your password?
          </Button>
        )}
      </div>
      {!resets && (
        <p className={classes.text}>
          If you have forgotten your password, ask an operator of this installation for a link that
          sets another one.
        </p>
      )}
    </form>
  );
}
