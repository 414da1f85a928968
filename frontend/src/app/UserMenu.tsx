import { ActionIcon } from '@mantine/core';
import { IconSettings } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { canSignIn, sessionQueries } from '@/api/session';
import { SignInLink } from '@/components/SignInLink';
import classes from './UserMenu.module.css';

const SignedInMenu = lazy(async () => ({
  default: (await import('./SignedInMenu')).SignedInMenu,
}));

/** Draws the menu of the person who is signed in, or the way to sign in. */
export function UserMenu() {
  const { data: session } = useQuery(sessionQueries.current());
  if (session === undefined) return null;
  if (session.proof === 'session') {
    return (
      <Suspense fallback={<span className={classes.place} />}>
        <SignedInMenu session={session} />
      </Suspense>
    );
  }
  // The local owner needs no account.
  if (session.proof !== null) return <SettingsLink />;
  return canSignIn(session) ? <SignInLink variant="default" mr={4} /> : null;
}

function SettingsLink() {
  return (
    <span className={classes.wide}>
      <ActionIcon
        renderRoot={(props) => <Link to="/settings" {...props} />}
        size="lg"
        aria-label="Settings"
      >
        <IconSettings size={18} stroke={1.7} aria-hidden />
      </ActionIcon>
    </span>
  );
}
