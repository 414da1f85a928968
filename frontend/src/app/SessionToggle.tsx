import { ActionIcon, UnstyledButton } from '@mantine/core';
import { IconLogin2, IconLogout2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { sessionQueries, useSignOut } from '@/api/session';
import { openSignIn } from '@/lib/sign-in';

/** Return the sign-in or sign-out action; null if sign-in is not set up. */
function useSessionAction() {
  const session = useQuery(sessionQueries.current());
  const signOut = useSignOut();
  if (session.data?.can_sign_in !== true) return null;
  const isSignedIn = session.data.can_write;
  const Icon = isSignedIn ? IconLogout2 : IconLogin2;
  return {
    icon: <Icon size={18} stroke={1.7} aria-hidden />,
    words: isSignedIn ? 'Sign out' : 'Sign in',
    act: () => {
      if (isSignedIn) signOut.mutate();
      else openSignIn();
    },
  };
}

export function SessionToggle() {
  const action = useSessionAction();
  if (action === null) return null;
  return (
    <ActionIcon size="lg" aria-label={action.words} title={action.words} onClick={action.act}>
      {action.icon}
    </ActionIcon>
  );
}

/** The same as a menu entry. */
export function SessionEntry({ className }: { className: string | undefined }) {
  const action = useSessionAction();
  if (action === null) return null;
  return (
    <UnstyledButton className={className} onClick={action.act}>
      {action.words}
      {action.icon}
    </UnstyledButton>
  );
}
