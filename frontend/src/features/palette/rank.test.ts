import { describe, expect, it } from 'vitest';
import { type PaletteItem, rankItems } from './rank';

const item = (group: string, label: string, words = ''): PaletteItem => ({
  id: `${group} ${label}`,
  group,
  label,
  words,
  href: '/',
});

const ITEMS = [
  item('Pages', 'Overview', 'home'),
  item('Pages', 'History', 'trend'),
  item('Frameworks', 'Spring MVC', 'java'),
  item('Frameworks', 'Vert.x', 'java'),
  item('Frameworks', 'Spring WebFlux', 'java'),
  item('New run', 'New run of Spring MVC'),
];
const labels = (text: string, most = 10) =>
  rankItems(ITEMS, text, most).map(({ label, items }) => [label, items.map((item) => item.label)]);

describe('rankItems', () => {
  it('keeps the given order if nothing is typed, and limits each group', () =>
    expect(labels('', 1)).toEqual([
      ['Pages', ['Overview']],
      ['Frameworks', ['Spring MVC']],
      ['New run', ['New run of Spring MVC']],
    ]));

  it('puts labels that begin with the word first', () => {
    expect(labels('spring')[0]).toEqual(['Frameworks', ['Spring MVC', 'Spring WebFlux']]);
    expect(labels('new')[0]?.[0]).toBe('New run');
  });

  it('requires every word, in any order and any case', () => {
    expect(labels('MVC spring')).toEqual([
      ['Frameworks', ['Spring MVC']],
      ['New run', ['New run of Spring MVC']],
    ]);
    expect(labels('spring fox')).toEqual([]);
  });

  it('matches hidden search terms and names with dots', () => {
    expect(labels('java')).toEqual([['Frameworks', ['Vert.x', 'Spring MVC', 'Spring WebFlux']]]);
    expect(labels('vert.x')).toEqual([['Frameworks', ['Vert.x']]]);
  });
});
