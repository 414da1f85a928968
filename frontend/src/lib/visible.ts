/** Frameworks shown in the charts, as a list in the URL, empty for all; pure. */

/** Null for all. */
export function readVisible(only: string | undefined): ReadonlySet<string> | null {
  const names = (only ?? '').split(',').filter((name) => name !== '');
  return names.length === 0 ? null : new Set(names);
}

export function isVisible(only: string | undefined, slug: string): boolean {
  return readVisible(only)?.has(slug) ?? true;
}

/** Whether it is the only one shown. */
export function isAlone(only: string | undefined, slug: string): boolean {
  const visible = readVisible(only);
  return visible?.size === 1 && visible.has(slug);
}

/** Return the selection of this item alone, or of all if it was alone already. */
export function isolate(only: string | undefined, slug: string): string {
  return isAlone(only, slug) ? '' : slug;
}

/** Toggle an item; hiding the last one shows all again. */
export function toggle(only: string | undefined, slug: string, all: readonly string[]): string {
  const shown = all.filter((item) => isVisible(only, item) !== (item === slug));
  return shown.length === all.length ? '' : shown.join(',');
}
