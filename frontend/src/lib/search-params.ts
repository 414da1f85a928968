/** Schemas of search parameters, which are text in the URL. */
import * as v from 'valibot';

type Schema = v.GenericSchema<unknown, string | string[]>;

type Valid<Schemas extends Record<string, Schema>> = {
  [Name in keyof Schemas]?: v.InferOutput<Schemas[Name]> | undefined;
};

/**
 * Return a route's `validateSearch`: it keeps the valid parameters. The others are undefined, not
 * absent, because the router would add the text in the URL for an absent one.
 */
export function validateBy<Schemas extends Record<string, Schema>>(schemas: Schemas) {
  return (search: Record<string, unknown>): Valid<Schemas> => {
    const valid: Record<string, string | string[] | undefined> = {};
    for (const [name, schema] of Object.entries(schemas)) {
      const result = v.safeParse(schema, search[name]);
      valid[name] = result.success ? result.output : undefined;
    }
    return valid;
  };
}

const MOST_CHARACTERS = 4000;

/** Any text. */
export const text = v.pipe(v.string(), v.minLength(1), v.maxLength(MOST_CHARACTERS));

const NAME = /^[\w.-]+$/;

/** Name of a framework, scenario, host, profile, metric or group. */
export const name = v.pipe(text, v.regex(NAME));

export const names = listOf(NAME);

const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Id of a result or change. */
export const id = v.pipe(text, v.regex(ID));

/** Ids of results. */
export const ids = itemsOf(ID);

export const frameworks = itemsOf(NAME);

export const date = v.pipe(
  text,
  v.check((value) => !Number.isNaN(Date.parse(value))),
);

/**
 * The items of a list, which the URL separates by commas. Links have lists as they are. Items that do
 * not match the pattern are left out.
 */
export function itemsOf(pattern: RegExp) {
  const list = v.union([
    v.array(v.string()),
    v.pipe(
      text,
      v.transform((value) => value.split(',')),
    ),
  ]);
  return v.pipe(
    list,
    v.transform((items) => items.filter((item) => pattern.test(item))),
    v.minLength(1),
  );
}

/** The same as text with commas. */
export function listOf(pattern: RegExp) {
  return v.pipe(
    itemsOf(pattern),
    v.transform((items) => items.join(',')),
  );
}

/** A whole number. */
export const digits = v.pipe(text, v.regex(/^\d{1,9}$/));

/** One of some words. */
export function wordOf<const Words extends readonly string[]>(words: Words) {
  return v.picklist(words);
}

/** A number greater than 0 and less than 1. */
export const probability = v.pipe(
  text,
  v.check((value) => Number(value) > 0 && Number(value) < 1),
);
