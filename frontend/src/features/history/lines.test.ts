import { expect, test } from 'vitest';
import type { HistoryChange, HistoryEvent, HistoryOut } from '@/api/schema';
import {
  cutSpan,
  differencesNear,
  keyOf,
  rulesOf,
  sharedFacts,
  shownAtFirst,
  spanOf,
  subjectsOf,
  toLine,
  withoutCrowdedBands,
} from './lines';

const difference = (subject: string) => ({ subject, before: '1', after: '2' });
const event = (index: number, ...subjects: string[]): HistoryEvent => ({
  index,
  at: '2026-11-20T00:00:00Z',
  differences: subjects.map(difference),
});
const change = (index: number): HistoryChange =>
  ({ index, at: '2026-11-20T00:00:00Z', ratio: 1.0816 }) as HistoryChange;
const history = (...slugs: string[]): HistoryOut =>
  ({
    series: slugs.map((slug, index) => ({
      framework: { slug, name: slug, colour: slug.length },
      host: 'bench-01',
      runtime: 'process',
      profile: 'rate-quick',
      parameters: { rate_rps: 100 * (index + 1), duration_seconds: 10 },
      points: [{ at: `2026-11-2${String(index)}T00:00:00Z` }],
    })),
  }) as unknown as HistoryOut;

test('names a change without its path', () => {
  expect(subjectsOf(event(1, 'host.kernel', 'framework'))).toBe('kernel, framework source');
  expect(subjectsOf(event(1, 'host.a', 'host.b_c', 'harness.k6'))).toBe('a, b c + 1');
});

test('labels a change point with its ratio, and an event with its change', () => {
  expect(rulesOf([change(3)], [event(4, 'harness.k6')], 2)).toMatchObject([
    { kind: 'change', label: '1.08×', colour: 2 },
    { kind: 'event', label: 'k6', colour: 2 },
  ]);
});

test('lists the differences within two points of a change point', () => {
  expect(differencesNear(change(10), [event(12, 'host.kernel'), event(13, 'framework')])).toEqual([
    'host kernel: 1 → 2',
  ]);
});

test('keeps the colour of a framework; its loads differ in dash and label', () => {
  const own = history('node', 'go', 'node');
  const [first, go, second] = [0, 1, 2].map((index) => toLine(own, index, null));
  expect([first?.colour, go?.colour, second?.colour]).toEqual([4, 2, 4]);
  expect(first?.dash).toBeUndefined();
  expect(second?.dash).toBeDefined();
  expect(go?.label).toBe('go');
  expect(second?.label).toBe('node: 300\u00a0req/s for 10\u00a0s');
  expect(toLine(history('node'), 0, null)).toMatchObject({ colour: 4, label: 'node' });
});

test('names what all series share once', () => {
  expect(sharedFacts(history('node', 'go'))).toEqual(['bench-01', 'process runtime']);
  expect(sharedFacts(history('node'))).toEqual([
    '100\u00a0req/s for 10\u00a0s',
    'bench-01',
    'process runtime',
  ]);
});

test('limits the period of the URL to the data and ignores an invalid period', () => {
  const whole = spanOf(history('node', 'go'));
  expect(whole).toEqual({ from: Date.parse('2026-11-20'), to: Date.parse('2026-11-21') });
  if (whole === null) return;
  expect(cutSpan(whole, '2026-11-20T12:00:00Z', '2027-01-01')).toEqual({
    from: Date.parse('2026-11-20T12:00:00Z'),
    to: whole.to,
  });
  expect(cutSpan(whole, '2027-01-01', 'nonsense')).toEqual(whole);
  expect(spanOf(history())).toBeNull();
});

test('names a series in the URL by its framework and its number among the series of the framework', () => {
  const own = history('node', 'go', 'node');
  expect([0, 1, 2].map((index) => keyOf(own, index))).toEqual(['node', 'go', 'node.2']);
});

test('draws only the series of the answers at first if there are many', () => {
  const linesOf = (own: HistoryOut) =>
    own.series.flatMap((_, index) => toLine(own, index, { low: 1, high: 2 }) ?? []);
  const few = history('node', 'node', 'go');
  expect(shownAtFirst(few, linesOf(few))).toBe('');
  const many = {
    ...history('node', 'node', 'node', 'node', 'go', 'go', 'go'),
    answers: [{ series: 2 }, { series: 4 }],
  } as unknown as HistoryOut;
  expect(shownAtFirst(many, linesOf(many))).toBe('node.3,go');
});

test('draws no noise bands with more than three lines', () => {
  const band = { low: 1, high: 2 };
  const own = history('a', 'b', 'c', 'd');
  const lines = own.series.flatMap((_, index) => toLine(own, index, band) ?? []);
  expect(withoutCrowdedBands(lines.slice(1)).map((line) => line.band)).toEqual([band, band, band]);
  expect(withoutCrowdedBands(lines).every((line) => line.band === null)).toBe(true);
});
