/** State of the command palette, which any component can open. */
import { useSyncExternalStore } from 'react';

interface PaletteState {
  isOpen: boolean;
  /** Initial search text. */
  text: string;
}

let state: PaletteState = { isOpen: false, text: '' };
const listeners = new Set<() => void>();

function set(next: PaletteState): void {
  state = next;
  for (const listener of listeners) listener();
}

export function openPalette(text = ''): void {
  set({ isOpen: true, text });
}

export function closePalette(): void {
  set({ isOpen: false, text: '' });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export function usePalette(): PaletteState {
  return useSyncExternalStore(subscribe, () => state);
}
