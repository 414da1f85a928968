import { expect, it } from 'vitest';
import { toJson, toMarkdown } from './table-files';

const TABLE = {
  columns: ['framework', 'latency_ms'],
  rows: [
    ['a|b', 1.23456789],
    ['two\nlines', null],
  ],
} as const;

it('writes JSON with every digit, and null for what is not known', () =>
  expect(JSON.parse(toJson(TABLE))).toEqual([
    { framework: 'a|b', latency_ms: 1.23456789 },
    { framework: 'two\nlines', latency_ms: null },
  ]));

it('writes Markdown that a bar or a line break in a cell does not break', () =>
  expect(toMarkdown(TABLE)).toBe(
    '| framework | latency_ms |\n| --- | ---: |\n| a\\|b | 1.23456789 |\n| two lines |  |\n',
  ));
