/**
 * Keeps the entries of forms in the tab when the session ends, also while the tab shows the page of
 * an OpenID Connect provider. A form shows them when the same person opens it again.
 */
import { useEffect, useRef, useState } from 'react';
import { hasSessionEnded, onSessionEnd } from './session-end';

const PREFIX = 'tacho.draft:';
const OWNER = 'tacho.drafts-of';

/**
 * As `useState`, for a field of a form that should survive the end of the session.
 *
 * @param name identifies the form, the edited item and the field.
 * @param initial and all later values are values that JSON keeps unchanged.
 */
export function useDraft<Value>(name: string, initial: Value): [Value, (next: Value) => void] {
  const key = `${PREFIX}${name}`;
  const [first] = useState(initial);
  const [value, setValue] = useState(() => (find(key) ?? initial) as Value);
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  }, [value]);
  useEffect(() => {
    sessionStorage.removeItem(key);
    const keep = () => {
      if (hasSessionEnded() && !isSame(latest.current, first)) {
        sessionStorage.setItem(key, JSON.stringify(latest.current));
      }
    };
    const stop = onSessionEnd(keep);
    return () => {
      stop();
      keep();
    };
  }, [key, first]);
  return [value, setValue];
}

/** Return whether a form has entries that it shows again after signing in. */
export function hasDrafts(): boolean {
  return list().length > 0;
}

/** Keep entries for one person in one workspace, and discard those of everyone else. */
export function keepDraftsOf(owner: string): void {
  if (sessionStorage.getItem(OWNER) === owner) return;
  for (const key of list()) sessionStorage.removeItem(key);
  sessionStorage.setItem(OWNER, owner);
}

function list(): string[] {
  return Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX));
}

function find(key: string): unknown {
  const text = sessionStorage.getItem(key);
  return text === null ? undefined : JSON.parse(text);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
