import { Button, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { SessionOut } from '@/api/schema';
import { EmptyState } from '@/components/States';
import { PasswordForm } from './PasswordForm';
import classes from './SignIn.module.css';
import { SingleSignOn } from './SingleSignOn';
import { TokenForm } from './TokenForm';

interface SignInFormProps {
  session: SessionOut;
  /** Path of the page to show afterwards. */
  to: string;
  onDone: () => void;
}

/** Draws the ways to sign in that this installation has. */
export function SignInForm({ session, to, onDone }: SignInFormProps) {
  const { password, token, oidc } = session.sign_in;
  if (!password && !token && oidc === null) {
    return (
      <EmptyState
        title="There are no accounts on this installation yet"
        action={
          <Button variant="default" size="xs" renderRoot={(props) => <Link to={to} {...props} />}>
            Continue
          </Button>
        }
      >
        {session.detail ??
          'Anyone on this machine is the owner, so there is nothing to sign in to.'}
      </EmptyState>
    );
  }
  const isOnlyWay = !password && oidc === null;
  return (
    <Stack gap="lg" maw={400}>
      {oidc !== null && <SingleSignOn label={`Sign in with ${oidc}`} to={to} />}
      {password && <PasswordForm resets={session.sign_in.reset} onDone={onDone} />}
      {token && isOnlyWay && <TokenForm onDone={onDone} />}
      {token && !isOnlyWay && (
        <details className={classes.other}>
          <summary>Sign in with the token of this installation</summary>
          <TokenForm onDone={onDone} />
        </details>
      )}
    </Stack>
  );
}
