import { expect, it } from 'vitest';
import { bandPoints, bandTable } from './bands';

const SPREAD = { low: [1, null], middle: [2, null], high: [3, null] };

it('has a point for each second, also without a value', () => {
  expect(bandPoints([-1, 0], SPREAD)).toEqual([
    { x: -1, low: 1, middle: 2, high: 3 },
    { x: 0, low: null, middle: null, high: null },
  ]);
  expect(bandPoints([0], undefined)).toEqual([{ x: 0, low: null, middle: null, high: null }]);
});

it('lists every second of every line', () => {
  const line = { id: 'go', name: 'Go', colour: 0, excluded: false };
  const { columns, rows } = bandTable(
    [{ ...line, points: bandPoints([0, 1], SPREAD) }],
    'framework',
    'ms',
  );
  expect(columns).toEqual(['framework', 'second', 'lowest, ms', 'median, ms', 'highest, ms']);
  expect(rows).toEqual([
    ['Go', 0, 1, 2, 3],
    ['Go', 1, null, null, null],
  ]);
});
