import { useHotkeys } from '@mantine/hooks';
import { useSpotlight } from '@mantine/spotlight';
import { lazy, Suspense } from 'react';
import { useEver } from '@/lib/hooks';
import { openPalette, paletteStore } from '@/lib/palette';

const load = () => import('@/features/palette/Palette');
const Palette = lazy(async () => ({ default: (await load()).Palette }));

/** Loads the palette's code early, for example when the pointer is over its button. */
export function warmPalette(): void {
  void load();
}

/** Opens the command palette with Ctrl K or ⌘ K on every page. Its code is loaded on first use. */
export function PaletteHost() {
  const { opened } = useSpotlight(paletteStore);
  const wasOpened = useEver(opened);
  useHotkeys([['mod+K', () => openPalette()]], []);
  if (!wasOpened) return null;
  return (
    <Suspense fallback={null}>
      <Palette />
    </Suspense>
  );
}
