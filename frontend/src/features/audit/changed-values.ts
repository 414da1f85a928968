/** The difference between the values before and after a change. */
import { formatDateTime } from '@/lib/format';

export interface ChangedValue {
  name: string;
  /** Null if there was no value. */
  before: string | null;
  /** Null if there is no value now. */
  after: string | null;
}

type Values = Readonly<Record<string, unknown>> | null | undefined;

/** Return the values that differ, in the order in which they are stored. */
export function listChangedValues(before: Values, after: Values): ChangedValue[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names
    .map((name) => ({ name, before: show(before?.[name]), after: show(after?.[name]) }))
    .filter((value) => value.before !== value.after);
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

const NAMES = ['title', 'name', 'email', 'user', 'slug', 'url'];

/** Return the name of the subject for people, which the stored values contain; null without one. */
export function findSubjectName(before: Values, after: Values): string | null {
  for (const values of [after, before]) {
    const name = NAMES.map((key) => values?.[key]).find((value) => typeof value === 'string');
    if (name !== undefined) return name;
  }
  return null;
}

function show(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'string') return JSON.stringify(value);
  return TIME.test(value) ? formatDateTime(value) : value;
}
