import { ActionIcon, Box, Tooltip } from '@mantine/core';
import { IconSettings, IconShield, type Icon as TablerIcon } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { api } from '@/api/client';
import { canSignIn } from '@/api/session';
import { SignInLink } from '@/components/SignInLink';
import classes from './UserMenu.module.css';

const SignedInMenu = lazy(async () => ({
  default: (await import('./SignedInMenu')).SignedInMenu,
}));

/** Draws the menu of the person who is signed in, or the way to sign in. */
export function UserMenu() {
  const { data: session } = api.useQuery('get', '/api/v1/session');
  if (session === undefined) return null;
  if (session.proof === 'session') {
    return (
      <Suspense fallback={<Box component="span" w={34} h={34} />}>
        <SignedInMenu session={session} />
      </Suspense>
    );
  }
  // The local owner needs no account.
  if (session.proof !== null) {
    return (
      <span className={classes.wide}>
        <IconLink to="/settings" label="Settings" icon={IconSettings} />
        {session.permissions.includes('operate') && (
          <IconLink to="/operator" label="Installation" icon={IconShield} />
        )}
      </span>
    );
  }
  return canSignIn(session) ? <SignInLink variant="default" mr={4} /> : null;
}

function IconLink({ to, label, icon: Icon }: { to: string; label: string; icon: TablerIcon }) {
  return (
    <Tooltip label={label}>
      <ActionIcon renderRoot={(props) => <Link to={to} {...props} />} size="lg" aria-label={label}>
        <Icon size={18} stroke={1.7} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
