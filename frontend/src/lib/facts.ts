/** Turns an environment's JSON into names and values; pure. */
import { formatValue, words } from './format';

export interface Fact {
  name: string;
  value: string;
  /** Many values under one name, shown collapsed. */
  parts?: readonly (readonly [string, string])[];
}

const DIGEST = /^(?:sha256:)?([0-9a-f]{24,})$/;
const DIGEST_SHOWN = 16;
/** The digest in the reference of an image, such as `node:24@sha256:…`. */
const REFERENCE_DIGEST = /@sha256:([0-9a-f]{16})[0-9a-f]+$/;
/** More values than this under one name are folded. */
const MOST_INLINE = 6;
const UNITS: readonly [suffix: string, unit: string, factor: number][] = [
  ['_bytes', 'B', 1],
  ['_mb', 'B', 2 ** 20],
  ['_khz', 'GHz', 1e-6],
];

/** Return any JSON value on one line; digests are shortened. */
export function showJson(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') {
    return (
      DIGEST.exec(value)?.[1]?.slice(0, DIGEST_SHOWN) ?? value.replace(REFERENCE_DIGEST, '@$1')
    );
  }
  if (Array.isArray(value)) return value.map(showJson).join(', ');
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([key, inner]) => `${words(key)}: ${showJson(inner)}`)
      .join('; ');
  }
  return JSON.stringify(value);
}

/** `memory_bytes` 25276502016 → `memory`, `23.5 GiB`; digests are cut; empty values left out. */
export function toFacts(record: Record<string, unknown>): Fact[] {
  return Object.entries(record).flatMap(([key, value]) => {
    const [suffix, unit, factor] = UNITS.find(([end]) => key.endsWith(end)) ?? ['', '', 1];
    const name = words(key.slice(0, key.length - suffix.length));
    const text = showJson(value);
    // Numbers, also several in one string: `2400000 3600000`.
    if (unit !== '' && /^[\d.]+( \d+)*$/.test(text)) {
      const numbers = text.split(' ').map((number) => formatValue(Number(number) * factor, unit));
      return [{ name, value: numbers.join(', ') }];
    }
    if (text === '') return [];
    const parts = partsOf(value);
    if (parts.length > MOST_INLINE) return [{ name, value: text, parts }];
    return [{ name, value: text }];
  });
}

/** Return the entries of a nested record; empty for other values. */
function partsOf(value: unknown): [string, string][] {
  if (!isRecord(value)) return [];
  return Object.entries(value).map(([key, inner]) => [words(key), showJson(inner)]);
}

/** Return nested records as groups, in order; other values come first, without a name. */
export function groupFacts(record: Record<string, unknown>): { name: string; facts: Fact[] }[] {
  const loose = Object.entries(record).filter(([, value]) => !isRecord(value));
  const groups = Object.entries(record).flatMap(([key, value]) =>
    isRecord(value) ? [{ name: words(key), facts: toFacts(value) }] : [],
  );
  return [{ name: '', facts: toFacts(Object.fromEntries(loose)) }, ...groups];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
