import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconMenu2, IconX } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { type FocusEvent, type KeyboardEvent, useId, useRef, useState } from 'react';
import { api } from '@/api/client';
import { useMay } from '@/api/session';
import { PAGES } from '@/lib/pages';
import classes from './Navigation.module.css';
import { SchemeEntry } from './SchemeToggle';

/** Links to the pages: in a row, or in a panel behind a button on narrow screens. */
export function Navigation() {
  const [isOpen, setIsOpen] = useState(false);
  const { pathname } = useLocation();
  const [at, setAt] = useState(pathname);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const maySeeSettings = useMay('view');
  const mayOperate = useMay('operate');
  // Close the panel after navigation.
  if (at !== pathname) {
    setAt(pathname);
    setIsOpen(false);
  }
  const close = () => setIsOpen(false);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return;
    close();
    button.current?.focus();
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) close();
  };
  const Icon = isOpen ? IconX : IconMenu2;
  return (
    <div className={classes.navigation} onKeyDown={onKeyDown} onBlur={onBlur}>
      <UnstyledButton
        ref={button}
        className={classes.button}
        aria-label="Pages"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon size={20} stroke={1.7} aria-hidden />
        {!isOpen && <OpenChangesMark />}
      </UnstyledButton>
      {isOpen && <div className={classes.scrim} onClick={close} />}
      <nav id={id} className={classes.pages} data-open={isOpen} aria-label="Pages">
        {PAGES.map((page) => (
          <Link
            key={page.to}
            to={page.to}
            className={classes.link}
            activeOptions={{ exact: page.to === '/', includeSearch: false }}
            onClick={close}
          >
            {page.label}
            {page.to === '/changes' && <OpenChanges />}
          </Link>
        ))}
        <div className={classes.rest}>
          {maySeeSettings && (
            <Link to="/settings" className={classes.link} onClick={close}>
              Settings
            </Link>
          )}
          {mayOperate && (
            <Link to="/operator" className={classes.link} onClick={close}>
              Installation
            </Link>
          )}
          <SchemeEntry className={classes.link} />
        </div>
      </nav>
    </div>
  );
}

/** Shows the number of open changes next to a link to them. Draws nothing without any. */
function OpenChanges() {
  const open = api.useQuery('get', '/api/v1/open-incidents').data?.open ?? 0;
  if (open === 0) return null;
  return (
    <>
      <span className={classes.count} aria-hidden>
        {open > 99 ? '99+' : open}
      </span>
      <VisuallyHidden>{`${open} open`}</VisuallyHidden>
    </>
  );
}

/** Marks the button of the menu while there are open changes. */
function OpenChangesMark() {
  const open = api.useQuery('get', '/api/v1/open-incidents').data?.open ?? 0;
  return open === 0 ? null : <span className={classes.mark} aria-hidden />;
}
