import { Stack, PasswordInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { api } from '@/api/client';
import type { SessionOut } from '@/api/schema';
import { useNewSession } from '@/api/session';
import { EntryForm } from '@/components/EntryForm';
import { LinkButton } from '@/components/LinkButton';
import { EmptyState } from '@/components/States';
import { PasswordForm } from './PasswordForm';
import classes from './SignIn.module.css';
import { SingleSignOn } from './SingleSignOn';
import { explainFailure } from './failures';

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
        action={<LinkButton to={to}>Continue</LinkButton>}
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

/** Signs in with TACHO_TOKEN. */
function TokenForm({ onDone }: { onDone: () => void }) {
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
