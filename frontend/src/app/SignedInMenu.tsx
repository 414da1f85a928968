import { Box, Menu, UnstyledButton } from '@mantine/core';
import { IconKey, IconLogout2, IconSettings, IconShield, IconUser } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { api } from '@/api/client';
import type { SessionOut } from '@/api/schema';
import { useNewSession, useSignOut } from '@/api/session';
import ui from '@/components/ui.module.css';
import { words } from '@/lib/format';
import classes from './UserMenu.module.css';

const ICON = { size: 16, stroke: 1.7, 'aria-hidden': true } as const;

/** The menu of the person who is signed in: workspaces, account, settings and signing out. */
export function SignedInMenu({ session }: { session: SessionOut }) {
  const signOut = useSignOut();
  const { user, workspace, workspaces } = session;
  const name = user?.name ?? 'Token of this installation';
  const hasChoice = workspaces.length > 1;
  return (
    <Menu
      position="bottom-end"
      shadow="none"
      width={264}
      // The placeholder is not a valid child of a menu.
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <UnstyledButton
          className={classes.target}
          aria-label={hasChoice && workspace ? `${name}, ${workspace.name}` : name}
        >
          <span className={classes.initials} aria-hidden>
            {user === null ? <IconKey size={16} /> : initialsOf(user.name)}
          </span>
          {hasChoice && workspace && (
            <span className={classes.workspace} aria-hidden>
              {workspace.name}
            </span>
          )}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Box py="xs" px="sm">
          <Box fw={600} className="wraps">
            {name}
          </Box>
          <div className={ui.quiet}>{user?.email ?? 'Signed in with TACHO_TOKEN'}</div>
        </Box>
        <Menu.Divider />
        {hasChoice && (
          <>
            <WorkspaceChoice session={session} />
            <Menu.Divider />
          </>
        )}
        {user !== null && (
          <Menu.Item
            leftSection={<IconUser {...ICON} />}
            renderRoot={(props) => <Link to="/account" {...props} />}
          >
            Account
          </Menu.Item>
        )}
        {workspace !== null && (
          <Menu.Item
            leftSection={<IconSettings {...ICON} />}
            renderRoot={(props) => <Link to="/settings" {...props} />}
          >
            Settings of {workspace.name}
          </Menu.Item>
        )}
        {session.permissions.includes('operate') && (
          <Menu.Item
            leftSection={<IconShield {...ICON} />}
            renderRoot={(props) => <Link to="/operator" {...props} />}
          >
            Installation
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout2 {...ICON} />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Switches to another workspace, and to its overview. */
function WorkspaceChoice({ session }: { session: SessionOut }) {
  const change = api.useMutation('patch', '/api/v1/session', useNewSession());
  const navigate = useNavigate();
  return (
    <Menu.RadioGroup
      value={session.workspace?.slug ?? null}
      onChange={(slug) =>
        change.mutate(
          { body: { workspace: slug } },
          { onSuccess: () => void navigate({ to: '/' }) },
        )
      }
    >
      <Menu.Label>Workspace</Menu.Label>
      {session.workspaces.map(({ slug, name, role }) => (
        <Menu.RadioItem
          key={slug}
          value={slug}
          closeMenuOnClick
          rightSection={<span className={ui.quiet}>{words(role)}</span>}
        >
          {name}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}

/** Return the first letters of the first and the last word of a name. */
function initialsOf(name: string): string {
  const parts = name.split(/\s+/).filter(Boolean);
  const letters = [parts[0], parts.length > 1 ? parts.at(-1) : undefined];
  return letters.map((part) => part?.charAt(0).toUpperCase() ?? '').join('');
}
