import { Button, PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { useSignIn } from '@/api/session';
import { explainFailure } from './failures';
import classes from './SignIn.module.css';

/** Signs in with TACHO_TOKEN. */
export function TokenForm({ onDone }: { onDone: () => void }) {
  const signIn = useSignIn();
  const [token, setToken] = useState('');
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate({ token: token.trim() }, { onSuccess: onDone });
      }}
    >
      <PasswordInput
        label="Token"
        description="The TACHO_TOKEN of this installation. Ask its operator if you do not have it."
        value={token}
        error={
          signIn.error &&
          explainFailure(signIn.error, 'This token is wrong. Check it and try again.')
        }
        onChange={(event) => {
          setToken(event.currentTarget.value);
        }}
        autoComplete="off"
        required
      />
      <div className={classes.actions}>
        <Button type="submit" loading={signIn.isPending}>
          Sign in with token
        </Button>
      </div>
    </form>
  );
}
