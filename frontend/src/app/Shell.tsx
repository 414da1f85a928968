import { ActionIcon, Button, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconPlus, IconSettings, IconSun } from '@tabler/icons-react';
import { Link, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './Shell.module.css';

const PAGES = [
  { to: '/', label: 'Overview' },
  { to: '/leaderboard', label: 'Leaderboard' },
  { to: '/compare', label: 'Compare' },
  { to: '/history', label: 'History' },
  { to: '/changes', label: 'Changes' },
  { to: '/studies', label: 'Studies' },
  { to: '/frameworks', label: 'Frameworks' },
  { to: '/schedules', label: 'Schedules' },
] as const;

/** Header, page, footer. */
export function Shell(): ReactNode {
  return (
    <>
      <a className={classes.skip} href="#main">
        Skip to content
      </a>
      <header className={classes.header}>
        <div className={classes.bar}>
          <Link to="/" className={classes.brand} aria-label="Tacho, to the overview">
            <Dial />
            Tacho
          </Link>
          <nav className={classes.nav} aria-label="Pages">
            {PAGES.map((page) => (
              <Link
                key={page.to}
                to={page.to}
                className={classes.link}
                activeOptions={{ exact: page.to === '/', includeSearch: false }}
              >
                {page.label}
              </Link>
            ))}
          </nav>
          <div className={classes.tools}>
            <ActionIcon
              renderRoot={(props) => <Link to="/settings" {...props} />}
              size="lg"
              aria-label="Settings"
            >
              <IconSettings size={18} stroke={1.7} aria-hidden />
            </ActionIcon>
            <SchemeToggle />
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
      <main id="main" className={classes.main} tabIndex={-1}>
        <Outlet />
      </main>
      <footer className={classes.footer}>
        <span>Every number with its uncertainty, its verdict, and the way to reproduce it.</span>
        <nav className={classes.more} aria-label="More">
          <Link to="/verdicts">Verdicts</Link>
          <a href="/api/docs">API</a>
        </nav>
      </footer>
    </>
  );
}

function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  const Icon = scheme === 'dark' ? IconSun : IconMoon;
  return (
    <ActionIcon
      size="lg"
      aria-label={`Use the ${other} theme`}
      onClick={() => {
        setColorScheme(other);
      }}
    >
      <Icon size={18} stroke={1.7} aria-hidden />
    </ActionIcon>
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
