import { lazy, Suspense, useEffect, useState } from 'react';
import { closePalette, openPalette, usePalette } from '@/lib/palette';

const load = () => import('@/features/palette/Palette');
const Palette = lazy(async () => ({ default: (await load()).Palette }));

/** Loads the palette's code early, for example when the pointer is over its button. */
export function warmPalette(): void {
  void load();
}

/** Opens the command palette with Ctrl K or ⌘ K on every page. Its code is loaded on first use. */
export function PaletteHost() {
  const { isOpen, text } = usePalette();
  const [wasOpen, setWasOpen] = useState(false);
  if (isOpen && !wasOpen) setWasOpen(true);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isAsked = (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey;
      if (!isAsked || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      openPalette();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => {
      window.removeEventListener('keydown', onKeyDown);
    };
  }, []);
  if (!wasOpen) return null;
  return (
    <Suspense fallback={null}>
      <Palette isOpen={isOpen} text={text} onClose={closePalette} />
    </Suspense>
  );
}
