import { Link, type LinkProps, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import classes from './PageTabs.module.css';

/** Width of the previous tab that stays visible, so that people see that there are more. */
const SHOWN_BEFORE_PX = 48;

interface PageTabsProps {
  /** Name of the tabs for screen readers. */
  label: string;
  tabs: readonly Tab[];
}

interface Tab {
  to: LinkProps['to'];
  label: string;
  /** Whether the addresses of other tabs begin with its address. */
  isFirst?: boolean;
}

/** Draws links to the parts of a page as tabs. The router marks the current one. */
export function PageTabs({ label, tabs }: PageTabsProps) {
  const bar = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => {
    const current = bar.current?.querySelector('[data-status="active"]');
    if (bar.current === null || !(current instanceof HTMLElement)) return;
    // On a phone, the current tab may be outside.
    bar.current.scrollLeft = current.offsetLeft - bar.current.offsetLeft - SHOWN_BEFORE_PX;
  }, [path]);
  return (
    <nav ref={bar} className={classes.tabs} aria-label={label}>
      {tabs.map(({ to, label: name, isFirst = false }) => (
        <Link
          key={to}
          to={to}
          className={classes.tab}
          activeOptions={{ exact: isFirst, includeSearch: false }}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
