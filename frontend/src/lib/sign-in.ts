/** State of the sign-in dialog, which any component can open. */
import { useSyncExternalStore } from 'react';

interface SignInState {
  isOpen: boolean;
  /** Called once the person has signed in, such as to send a refused request again. */
  onSignedIn: () => void;
}

const CLOSED: SignInState = { isOpen: false, onSignedIn: () => undefined };

let state = CLOSED;
const listeners = new Set<() => void>();

function set(next: SignInState): void {
  state = next;
  for (const listener of listeners) listener();
}

export function openSignIn(onSignedIn: () => void = CLOSED.onSignedIn): void {
  set({ isOpen: true, onSignedIn });
}

export function closeSignIn(): void {
  set(CLOSED);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export function useSignInDialog(): SignInState {
  return useSyncExternalStore(subscribe, () => state);
}
