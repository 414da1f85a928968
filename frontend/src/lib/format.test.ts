import { describe, expect, it } from 'vitest';
import {
  formatAgo,
  formatCount,
  formatDuration,
  formatFigure,
  formatInterval,
  formatTick,
  formatTickApart,
  formatValue,
  formatValues,
  joinWords,
  keepRatio,
  stripTerminalCodes,
  words,
} from './format';
import cases from './number-cases.json';

const plain = (text: string | null) => text?.replaceAll(/[\u202f\u00a0]/g, ' ');

/** The table that backend/tests/core/test_numbers.py reads too. */
type Case<Given extends unknown[]> = [...Given, text: string];

describe('formatFigure', () =>
  it.each([...(cases.figures as Case<[number]>[]), [Number.NaN, '–'] as Case<[number]>])(
    '%d is %s',
    (value, text) => expect(formatFigure(value)).toBe(text),
  ));

it('shortens ticks only after the decimal point', () =>
  expect([0, 0.1, 2.5, 100, 1000].map(formatTick).map(plain)).toEqual([
    '0',
    '0.1',
    '2.5',
    '100',
    '1 000',
  ]));

describe('formatValue', () => {
  it.each(cases.values as Case<[number, string]>[])('%d %s is %s', (value, unit, text) =>
    expect(formatValue(value, unit)).toBe(text),
  );

  it('shows a dash without a value', () => expect(formatValue(null, 'ms')).toBe('–'));
});

describe('formatInterval', () => {
  it.each(cases.intervals as Case<[number, number, number, string]>[])(
    'of %d from %d to %d %s is %s',
    (estimate, low, high, unit, text) =>
      expect(formatInterval(estimate, low, high, unit)).toBe(text),
  );

  it('is nothing without an interval', () =>
    expect(formatInterval(1, null, null, 'ms')).toBeNull());
});

it.each(cases.few as [[number, ...number[]], string, string][])(
  '%j %s is %s',
  (values, unit, text) => expect(formatValues(values, unit)).toBe(text),
);

it.each(cases.joined as [string[], string][])('joins %j', (items, text) =>
  expect(joinWords(items)).toBe(text),
);

it('shortens durations as they grow', () => {
  expect(plain(formatDuration(3.24, true))).toBe('3.2 s');
  expect(plain(formatDuration(59.6))).toBe('1 min');
  expect(plain(formatDuration(130))).toBe('2 min 10 s');
  expect(plain(formatDuration(38 * 60 + 4))).toBe('38 min');
  expect(plain(formatDuration(3900))).toBe('1 h 5 min');
});

it('formats an age relative to a given time', () => {
  const now = Date.parse('2026-11-20T18:40:00Z');
  expect(formatAgo('2026-11-20T18:39:50Z', now)).toBe('just now');
  expect(plain(formatAgo('2026-11-20T18:36:00Z', now))).toBe('4 min ago');
  expect(plain(formatAgo('2026-11-20T12:40:00Z', now))).toBe('6 h ago');
});

it('removes the colours from a log', () =>
  expect(stripTerminalCodes('\u001b[1;31mERROR\u001b[0m a[0]')).toBe('ERROR a[0]'));

it('counts and joins in words', () => {
  expect(plain(formatCount(1, 'trial'))).toBe('1 trial');
  expect(plain(formatCount(1200, 'trial'))).toBe('1 200 trials');
});

it('gives ticks the decimals that their distance requires', () => {
  const ticks = (step: number, ...values: number[]) =>
    values.map((value) => plain(formatTickApart(value, step)));
  expect(ticks(0.25, 9.5, 9.75, 10, 10.25)).toEqual(['9.50', '9.75', '10.00', '10.25']);
  expect(ticks(500, 9500, 10_000)).toEqual(['9 500', '10 000']);
  expect(ticks(0.1, 0.1 + 0.2)).toEqual(['0.3']);
  expect(ticks(5e-7, 1e-6)).toEqual(['0.000001']);
});

it('formats an identifier as words', () => {
  expect(words('generator_saturated')).toBe('generator saturated');
  expect(words('littles_law_violated')).toBe('Little’s law violated');
  expect(words('cpu_model')).toBe('CPU model');
});

it('keeps a ratio at the end on the line of the word before it', () => {
  expect(keepRatio('next: Go net/http 2.15×')).toBe('next: Go net/http\u00a02.15×');
  expect(keepRatio('No usable result')).toBe('No usable result');
});
