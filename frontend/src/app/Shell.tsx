import { Button, Group } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Navigation } from './Navigation';
import { Outage } from './Outage';
import { PaletteHost } from './PaletteHost';
import { PendingCancels } from './PendingCancels';
import { SchemeToggle } from './SchemeToggle';
import { SearchButton } from './SearchButton';
import { SessionEnded } from './SessionEnded';
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
            <Button
              renderRoot={(props) => <Link to="/runs/new" {...props} />}
              leftSection={<IconPlus size={16} aria-hidden />}
              size="xs"
            >
              New run
            </Button>
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
