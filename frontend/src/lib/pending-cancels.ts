/** Cancellations that were confirmed and can still be undone. They are lost with the tab. */
import { useSyncExternalStore } from 'react';

/** A run by its id, or a group of runs by its slug. */
export interface CancelSubject {
  kind: 'run' | 'group';
  name: string;
  title: string;
}

export interface PendingCancel extends CancelSubject {
  /** When it is sent. */
  dueMs: number;
}

/** How long a cancellation can be undone. */
export const UNDO_MS = 10_000;

let pending: readonly PendingCancel[] = [];
const listeners = new Set<() => void>();

function set(next: readonly PendingCancel[]): void {
  pending = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Cancel something in ten seconds. */
export function cancelSoon(subject: CancelSubject): void {
  if (pending.some(({ name }) => name === subject.name)) return;
  set([...pending, { ...subject, dueMs: Date.now() + UNDO_MS }]);
}

/** Forget a cancellation: it was undone, or it was sent. */
export function forgetCancel(name: string): void {
  set(pending.filter((cancel) => cancel.name !== name));
}

/** Return the cancellations that can be undone, are being sent, or were refused. */
export function usePendingCancels(): readonly PendingCancel[] {
  return useSyncExternalStore(subscribe, () => pending);
}
