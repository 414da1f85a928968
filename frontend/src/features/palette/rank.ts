/** Ranks the items that match the typed text; pure. */

export interface PaletteItem {
  /** Unique. */
  id: string;
  group: string;
  label: string;
  /** Shown next to the label. */
  hint?: string;
  /** Further search terms, never shown. */
  words?: string;
  /** Colour of a framework. */
  colour?: number;
  /** Target of the link; where an action is chosen, the current page. */
  href: string;
  /** Done instead of opening the link. */
  action?: () => void;
}

export interface PaletteGroup {
  label: string;
  items: PaletteItem[];
}

/** Ignore accents and case. */
function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

function tokens(text: string): string[] {
  return fold(text)
    .split(/[^\p{L}\p{N}.+#]+/u)
    .filter((token) => token !== '');
}

/** Return how well a typed word matches: start of the label, start of a word, part of it, or other text. */
function fit(token: string, item: PaletteItem): number {
  const label = fold(item.label);
  if (label.startsWith(token)) return 4;
  if (tokens(item.label).some((word) => word.startsWith(token))) return 3;
  if (label.includes(token)) return 2;
  const other = tokens(`${item.hint ?? ''} ${item.words ?? ''}`);
  return other.some((word) => word.startsWith(token)) ? 1 : 0;
}

/** Return the score; 0 unless every typed word matches. */
function score(item: PaletteItem, typed: readonly string[]): number {
  let sum = 0;
  for (const token of typed) {
    const points = fit(token, item);
    if (points === 0) return 0;
    sum += points;
  }
  // Break ties by the share of the label that was typed.
  return sum + typed.join(' ').length / Math.max(1, item.label.length);
}

/**
 * Return the matching items in groups, the group with the best match first. If nothing is typed,
 * return all groups in the given order.
 */
export function rankItems(
  items: readonly PaletteItem[],
  text: string,
  mostInGroup: number,
): PaletteGroup[] {
  const typed = tokens(text);
  const groups = new Map<
    string,
    { best: number; found: { item: PaletteItem; points: number }[] }
  >();
  for (const item of items) {
    const points = typed.length === 0 ? 1 : score(item, typed);
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
