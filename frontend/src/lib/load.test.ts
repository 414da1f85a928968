import { expect, it } from 'vitest';
import { nameSubject } from './differences';
import { describeLoad, kindOf } from './load';
import cases from './load-cases.json';

/** The table that backend/tests/core/results/test_loads.py reads too. */
const loads = cases.loads as unknown as [string, Record<string, number>, string][];

const plain = (text: string) => text.replaceAll(/[\u202f\u00a0]/g, ' ');

it.each(loads)('%s %o is %s', (kind, parameters, text) => {
  expect(kindOf(parameters)).toBe(kind);
  expect(plain(describeLoad({ kind: kindOf(parameters), parameters }))).toBe(text);
});

it.each(cases.subjects as [string, string][])('%s is %s', (subject, name) =>
  expect(nameSubject(subject)).toBe(name),
);
