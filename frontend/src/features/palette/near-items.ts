/** Finds items similar to a URL that does not exist; pure. */
import { listNear } from '@/lib/near';
import type { PaletteItem } from './rank';

/** The kind of item in a URL. */
export type Noun =
  | 'page'
  | 'run'
  | 'run group'
  | 'framework'
  | 'scenario'
  | 'study'
  | 'host'
  | 'snapshot'
  | 'change'
  | 'incident'
  | 'schedule'
  | 'guard';

/** The page that lists all items of a kind. */
const LISTED_ON: Partial<Record<Noun, string>> = {
  run: '/runs',
  'run group': '/runs',
  framework: '/frameworks',
  scenario: '/frameworks',
  study: '/studies',
  host: '/hosts',
  snapshot: '/compare',
  change: '/changes',
  incident: '/changes',
  schedule: '/schedules',
  guard: '/guards',
};
const MOST = 4;
/** Groups whose items are not places: they have no page of their own, or only describe one. */
const NO_PLACES: readonly string[] = ['New run', 'Metrics', 'Theme', 'Choose', 'Documentation'];

/** Return the names of an item: slug and label. */
function namesOf({ href, label }: PaletteItem): string[] {
  return [href.replace(/\?.*$/, '').split('/').at(-1) ?? '', label].filter((part) => part !== '');
}

/** Return similar items, the most likely first: of the same kind, then of any kind, then the page of that kind. */
export function listNearItems(
  noun: Noun,
  name: string,
  items: readonly PaletteItem[],
): PaletteItem[] {
  const places = items.filter(({ group }) => !NO_PLACES.includes(group));
  const words = name.split('/').filter((word) => word !== '');
  const own = places.filter((item) => item.href.startsWith(noun === 'run' ? '/r/' : `/${noun}`));
  const near =
    noun === 'page'
      ? words.reverse().flatMap((word) => listNear(word, places, namesOf, MOST))
      : [...listNear(name, own, namesOf, MOST), ...listNear(name, places, namesOf, MOST)];
  const page = places.filter((item) => item.href === LISTED_ON[noun]);
  return [...new Set([...near.slice(0, MOST), ...page])];
}
