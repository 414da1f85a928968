import { describe, expect, it } from 'vitest';
import { listNearItems } from './near-items';
import type { PaletteItem } from './rank';

const item = (group: string, label: string, href: string): PaletteItem => ({
  id: href,
  group,
  label,
  href,
});
const ITEMS = [
  item('Pages', 'Overview', '/'),
  item('Pages', 'Frameworks', '/frameworks'),
  item('Pages', 'Leaderboard', '/leaderboard'),
  item('Runs', 'First look', '/r/k3v9q2mx4d'),
  item('Frameworks', 'Node.js', '/frameworks/node'),
  item('Scenarios', 'Node by node', '/scenarios/node-by-node'),
  item('New run', 'New run of Node.js', '/runs/new?cells=hello.node'),
];
const near = (...[noun, asked]: [Parameters<typeof listNearItems>[0], string]) =>
  listNearItems(noun, asked, ITEMS).map(({ href }) => href);

describe('listNearItems', () => {
  it('searches items of the same kind first, and adds the page that lists them', () => {
    expect(near('framework', 'nodejs')[0]).toBe('/frameworks/node');
    expect(near('framework', 'zzzz')).toEqual(['/frameworks']);
  });

  it('finds the run of a truncated link', () =>
    expect(near('run', 'k3v9q2')).toEqual(['/r/k3v9q2mx4d']));

  it('compares every word of the URL, the last word first', () => {
    expect(near('page', '/framework/node')).toContain('/frameworks/node');
    expect(near('page', '/leaderbord')).toEqual(['/leaderboard']);
  });
});
