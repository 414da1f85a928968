/** The query string as plain text: lists have commas, which are left readable, as are dots. */

export type PlainSearch = Record<string, string | undefined>;

export function parseSearch(text: string): PlainSearch {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    const text = Array.isArray(value) ? value.join(',') : value;
    if (typeof text === 'string' && text !== '') parameters.set(name, text);
  }
  const text = parameters.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  return text === '' ? '' : `?${text}`;
}
