/** The query string as plain text: every value a string, commas and dots left readable. */

export type PlainSearch = Record<string, string | undefined>;

export function parseSearch(text: string): PlainSearch {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string' && value !== '') parameters.set(name, value);
  }
  const text = parameters.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  return text === '' ? '' : `?${text}`;
}

/** Only the named keys, for a route's `validateSearch`. */
export function pick<Key extends string>(...names: Key[]) {
  return (search: Record<string, unknown>): Partial<Record<Key, string>> => {
    const picked: Partial<Record<Key, string>> = {};
    for (const name of names) {
      const value = search[name];
      if (typeof value === 'string' && value !== '') picked[name] = value;
    }
    return picked;
  };
}
