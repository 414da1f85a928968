/** Which items answer what was typed, and in which order; pure. */

export interface PaletteItem {
  /** Unique. */
  id: string;
  group: string;
  label: string;
  /** Beside the label: where, when, of whom. */
  hint?: string;
  /** Further words that find it, never shown. */
  words?: string;
  /** Of a framework. */
  colour?: number;
  /** Where it leads. */
  href: string;
}

export interface PaletteGroup {
  label: string;
  items: PaletteItem[];
}

/** Accents and case do not matter, nor does what parts words. */
function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

function tokens(text: string): string[] {
  return fold(text)
    .split(/[^\p{L}\p{N}.+#]+/u)
    .filter((token) => token !== '');
}

/** How well one typed word fits: the start of the label, of a word of it, a part, or beside it. */
function fit(token: string, item: PaletteItem): number {
  const label = fold(item.label);
  if (label.startsWith(token)) return 4;
  if (tokens(item.label).some((word) => word.startsWith(token))) return 3;
  if (label.includes(token)) return 2;
  const beside = tokens(`${item.hint ?? ''} ${item.words ?? ''}`);
  return beside.some((word) => word.startsWith(token)) ? 1 : 0;
}

/** Every typed word has to fit; 0 where one does not. */
function score(item: PaletteItem, asked: readonly string[]): number {
  let sum = 0;
  for (const token of asked) {
    const points = fit(token, item);
    if (points === 0) return 0;
    sum += points;
  }
  // Of equals, the one of which more was typed.
  return sum + asked.join(' ').length / Math.max(1, item.label.length);
}

/**
 * Groups of the items that fit, the group with the best one first; without words all groups in
 * their own order.
 */
export function rankItems(
  items: readonly PaletteItem[],
  text: string,
  mostInGroup: number,
): PaletteGroup[] {
  const asked = tokens(text);
  const groups = new Map<
    string,
    { best: number; found: { item: PaletteItem; points: number }[] }
  >();
  for (const item of items) {
    const points = asked.length === 0 ? 1 : score(item, asked);
    if (points === 0) continue;
    const group = groups.get(item.group) ?? { best: 0, found: [] };
    group.found.push({ item, points });
    group.best = Math.max(group.best, points);
    groups.set(item.group, group);
  }
  return [...groups]
    .sort(([, a], [, b]) => b.best - a.best)
    .map(([label, { found }]) => ({
      label,
      items: found
        .sort((a, b) => b.points - a.points)
        .slice(0, mostInGroup)
        .map(({ item }) => item),
    }));
}
