import { Group, UnstyledButton } from '@mantine/core';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { watchSession } from '@/api/watch-session';
import { LinkButton } from '@/components/LinkButton';
import { Notice } from '@/components/Notice';
import { SignInLink } from '@/components/SignInLink';
import { hasDrafts } from '@/lib/drafts';
import { openPalette } from '@/lib/palette';
import { useSessionEnd } from '@/lib/session-end';
import { Navigation } from './Navigation';
import { Outage } from './Outage';
import { PaletteHost, warmPalette } from './PaletteHost';
import { PendingCancels } from './PendingCancels';
import { SchemeToggle } from './SchemeToggle';
import classes from './Shell.module.css';
import { UserMenu } from './UserMenu';

/** Header, page, footer. */
export function Shell(): ReactNode {
  return (
    <>
      <a className={classes.skip} href="#main">
        Skip to content
      </a>
      <header className="shell-header">
        <div className="shell-bar">
          <Link to="/" className="shell-brand" aria-label="Tacho overview">
            <Dial />
            Tacho
          </Link>
          <Navigation />
          <div className={classes.tools}>
            <SearchButton />
            <span className={classes.wide}>
              <SchemeToggle />
            </span>
            <UserMenu />
            <LinkButton
              variant="filled"
              to="/runs/new"
              leftSection={<IconPlus size={16} aria-hidden />}
            >
              New run
            </LinkButton>
          </div>
        </div>
      </header>
      <main id="main" className="shell-main" tabIndex={-1}>
        <SessionEnded />
        <Outage>
          <Outlet />
        </Outage>
      </main>
      <footer className={`shell-footer ${classes.footer ?? ''}`}>
        <span>Every number comes with its uncertainty, its verdict and a way to reproduce it.</span>
        <Group component="nav" gap="8px 16px" align="normal" aria-label="More">
          <Link to="/docs/$" params={{ _splat: 'methodology' }}>
            Methodology
          </Link>
          <Link to="/verdicts">Verdicts</Link>
          <Link to="/docs/$" params={{ _splat: 'getting-started' }}>
            Documentation
          </Link>
          <a href="/api/docs">API</a>
        </Group>
      </footer>
      <PendingCancels />
      <PaletteHost />
    </>
  );
}

function Dial() {
  return (
    <svg width="24" height="24" viewBox="0 0 32 32" fill="none" aria-hidden>
      <path
        d="M7.5 25.5a12 12 0 1 1 17 0"
        stroke="currentColor"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
      <path
        d="M16 17 22.5 9.5"
        stroke="var(--tacho-needle)"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
      <circle cx="16" cy="17" r="2.4" fill="currentColor" />
    </svg>
  );
}

const KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

/** Opens the command palette. On narrow screens it is an icon. */
function SearchButton() {
  return (
    <UnstyledButton
      className={classes.search}
      aria-label="Search"
      aria-keyshortcuts="Control+K Meta+K"
      onPointerEnter={warmPalette}
      onFocus={warmPalette}
      onClick={() => openPalette()}
    >
      <IconSearch size={16} stroke={1.9} aria-hidden />
      <span className={classes.words} aria-hidden>
        Search <kbd>{KEYS}</kbd>
      </span>
    </UnstyledButton>
  );
}

/** Shows once that the session has ended while the page was open. */
function SessionEnded() {
  const queries = useQueryClient();
  const hasEnded = useSessionEnd();
  const { pathname } = useLocation();
  useEffect(() => watchSession(queries), [queries]);
  if (!hasEnded || pathname === '/sign-in') return null;
  return (
    <Notice title="Your session has ended">
      {hasDrafts()
        ? 'Sign in again to continue. Forms then show what you entered. '
        : 'Sign in again to continue. '}
      <SignInLink size="compact-xs" variant="default" ml={8} />
    </Notice>
  );
}
