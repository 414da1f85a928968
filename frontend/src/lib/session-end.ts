/** Whether the session of this browser has ended while a page was open. */
import { useSyncExternalStore } from 'react';

let ended = false;
const listeners = new Set<() => void>();

function set(next: boolean): void {
  ended = next;
  for (const listener of listeners) listener();
}

export function reportSessionEnd(): void {
  set(true);
}

/** Forget the end of the session, such as after signing in again. */
export function forgetSessionEnd(): void {
  set(false);
}

export function hasSessionEnded(): boolean {
  return ended;
}

/** Call a function when the session ends. Return a function that stops this. */
export function onSessionEnd(act: () => void): () => void {
  return subscribe(() => {
    if (ended) act();
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export function useSessionEnd(): boolean {
  return useSyncExternalStore(subscribe, () => ended);
}
