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
  joinWords,
  stripTerminalCodes,
  words,
} from './format';

const plain = (text: string | null) => text?.replaceAll('\u202f', ' ');

describe('formatFigure', () => {
  it.each([
    [0, '0'],
    [61, '61'],
    [61.04, '61.0'],
    [1.8234, '1.82'],
    [0.05123, '0.0512'],
    [3e-9, '≈ 0'],
    [999.6, '1 000'],
    [18345.2, '18 300'],
    [-3.456, '−3.46'],
    [Number.NaN, '–'],
  ])('%d is %s', (value, text) => {
    expect(plain(formatFigure(value))).toBe(text);
  });
});

it('shortens ticks only after the decimal point', () => {
  expect([0, 0.1, 2.5, 100, 1000].map(formatTick).map(plain)).toEqual([
    '0',
    '0.1',
    '2.5',
    '100',
    '1 000',
  ]);
});

describe('formatValue', () => {
  it.each([
    [12.41, 'ms', '12.4 ms'],
    [0.0512, 'ms', '51.2 µs'],
    [12_400, 'ms', '12.4 s'],
    [18_300, 'req/s', '18.3 k req/s'],
    [400, 'req/s', '400 req/s'],
    [412 * 2 ** 20, 'B', '412 MiB'],
    [0.9987, 'share', '99.9 %'],
    [1, 'share', '100 %'],
    [null, 'ms', '–'],
  ])('%d %s is %s', (value, unit, text) => {
    expect(plain(formatValue(value, unit))).toBe(text);
  });
});

it('shows an interval in the unit of its estimate, and nothing without an interval', () => {
  expect(plain(formatInterval(12_000, 9_000, 15_000, 'req/s'))).toBe('[9, 15]');
  expect(formatInterval(1, null, null, 'ms')).toBeNull();
});

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

it('removes the colours from a log', () => {
  expect(stripTerminalCodes('\u001b[1;31mERROR\u001b[0m a[0]')).toBe('ERROR a[0]');
});

it('counts and joins in words', () => {
  expect(plain(formatCount(1, 'trial'))).toBe('1 trial');
  expect(plain(formatCount(1200, 'trial'))).toBe('1 200 trials');
  expect(joinWords(['A', 'B', 'C'])).toBe('A, B and C');
  expect(joinWords(['A at 1× [0.9, 1.1]', 'B'])).toBe('A at 1× [0.9, 1.1] and B');
  expect(joinWords(['A', 'B, an instance', 'C'])).toBe('A; B, an instance; and C');
});

it('gives ticks the decimals that their distance asks for', () => {
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
