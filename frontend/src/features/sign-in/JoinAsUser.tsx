import { Button, Group, Stack } from '@mantine/core';
import { api } from '@/api/client';
import type { LinkOut } from '@/api/schema';
import { useNewSession, useSignOut } from '@/api/session';
import { Refusal } from '@/components/Refusal';

interface JoinAsUserProps {
  /** The key in the link. */
  linkKey: string;
  link: LinkOut;
  /** E-mail address of the person who is signed in. */
  email: string;
  onDone: () => void;
}

/** Accepts an invitation with the account that is signed in. */
export function JoinAsUser({ linkKey, link, email, onDone }: JoinAsUserProps) {
  const use = api.useMutation('post', '/api/v1/links/use', useNewSession());
  const signOut = useSignOut();
  const isForOther = link.email !== null && link.email !== email;
  return (
    <Stack gap="md">
      <p className="wraps">
        You are signed in as <strong>{email}</strong>.
        {isForOther && (
          <>
            {' '}
            This invitation is for <strong>{link.email}</strong>. Sign out to accept it.
          </>
        )}
      </p>
      {use.error && <Refusal error={use.error} />}
      <Group gap="xs">
        {!isForOther && (
          <Button
            loading={use.isPending}
            onClick={() => use.mutate({ body: { key: linkKey } }, { onSuccess: onDone })}
          >
            Join {link.workspace}
          </Button>
        )}
        <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate()}>
          {isForOther ? 'Sign out' : 'Use another account'}
        </Button>
      </Group>
    </Stack>
  );
}
