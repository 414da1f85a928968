/** What someone may have meant whose address leads nowhere; pure. */
import { listNear } from '@/lib/near';
import type { PaletteItem } from './rank';

/** What an address names. */
export type Noun =
  'page' | 'run' | 'framework' | 'scenario' | 'study' | 'host' | 'snapshot' | 'change' | 'schedule';

/** The page on which all of a kind are. */
const LISTED_ON: Partial<Record<Noun, string>> = {
  framework: '/frameworks',
  scenario: '/frameworks',
  study: '/studies',
  host: '/',
  snapshot: '/compare',
  change: '/changes',
  schedule: '/schedules',
};
const MOST = 4;

/** Names of an item as an address has them, and as people have. */
function namesOf({ href, label }: PaletteItem): string[] {
  return [href.replace(/\?.*$/, '').split('/').at(-1) ?? '', label].filter((part) => part !== '');
}

/** The likeliest first: of the noun that was asked for, else of any; then the page of its kind. */
export function listNearItems(
  noun: Noun,
  asked: string,
  items: readonly PaletteItem[],
): PaletteItem[] {
  const places = items.filter((item) => item.group !== 'New run');
  const words = asked.split('/').filter((word) => word !== '');
  const own = places.filter((item) => item.href.startsWith(`/${noun}`));
  const near =
    noun === 'page'
      ? words.reverse().flatMap((word) => listNear(word, places, namesOf, MOST))
      : [...listNear(asked, own, namesOf, MOST), ...listNear(asked, places, namesOf, MOST)];
  const page = places.filter((item) => item.href === LISTED_ON[noun]);
  return [...new Set([...near.slice(0, MOST), ...page])];
}
