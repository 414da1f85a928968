import { lazy, Suspense, useEffect, useState } from 'react';
import { closePalette, openPalette, usePalette } from '@/lib/palette';

const load = () => import('@/features/palette/Palette');
const Palette = lazy(async () => ({ default: (await load()).Palette }));

/** Fetches the palette's code before it is asked for, as when a pointer nears its button. */
export function warmPalette(): void {
  void load();
}

/** The command palette, by Ctrl K or ⌘ K wherever one is; its code comes with its first use. */
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
