import { useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import classes from './PageTabs.module.css';

/** Width of the previous tab that stays visible, so that people see that there are more. */
const SHOWN_BEFORE_PX = 48;

interface PageTabsProps {
  /** Name of the tabs for screen readers. */
  label: string;
  /** Links of the class `tab`. */
  children: (tab: string | undefined) => ReactNode;
}

/** Draws links to the parts of a page as tabs. The router marks the current one. */
export function PageTabs({ label, children }: PageTabsProps) {
  const tabs = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => {
    const current = tabs.current?.querySelector('[data-status="active"]');
    if (tabs.current === null || !(current instanceof HTMLElement)) return;
    // On a phone, the current tab may be outside.
    tabs.current.scrollLeft = current.offsetLeft - tabs.current.offsetLeft - SHOWN_BEFORE_PX;
  }, [path]);
  return (
    <nav ref={tabs} className={classes.tabs} aria-label={label}>
      {children(classes.tab)}
    </nav>
  );
}
