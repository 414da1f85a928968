import { Button, Modal, PasswordInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sessionQueries, useSignIn } from '@/api/session';
import { closeSignIn, useSignInDialog } from '@/lib/sign-in';
import classes from './SignIn.module.css';

/** The sign-in dialog, which any page can open. */
export function SignInHost() {
  const { isOpen } = useSignInDialog();
  return (
    <Modal opened={isOpen} onClose={closeSignIn} title="Sign in" size="sm" centered>
      <SignInForm />
    </Modal>
  );
}

function SignInForm() {
  const { onSignedIn } = useSignInDialog();
  const session = useQuery(sessionQueries.current());
  const signIn = useSignIn();
  const [token, setToken] = useState('');
  if (session.data?.can_sign_in === false) {
    return (
      <p className={classes.text}>
        Sign-in is not set up on this installation. {session.data.detail}
      </p>
    );
  }
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate(token.trim(), {
          onSuccess: () => {
            closeSignIn();
            onSignedIn();
          },
        });
      }}
    >
      <p className={classes.text}>
        Members can start runs, change settings and see private and unlisted runs.
      </p>
      <PasswordInput
        label="Token"
        description="The TACHO_TOKEN of this installation. Ask its operator if you do not have it."
        value={token}
        error={signIn.error && explain(signIn.error)}
        onChange={(event) => {
          setToken(event.currentTarget.value);
        }}
        autoComplete="current-password"
        data-autofocus
        required
      />
      <div className={classes.actions}>
        <Button variant="default" onClick={closeSignIn}>
          Cancel
        </Button>
        <Button type="submit" loading={signIn.isPending}>
          Sign in
        </Button>
      </div>
    </form>
  );
}

/** Return the error as text for the token field. */
function explain(error: Error & { status?: number }): string {
  return error.status === 401 ? 'This token is wrong. Check it and try again.' : error.message;
}
