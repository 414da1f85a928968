import { expect, it } from 'vitest';
import { pivot } from './pivot';

it('joins lines by x, in order, with gaps where a line has nothing', () => {
  const [first, last, between] = [
    { x: -1, y: 1 },
    { x: 1, y: 2 },
    { x: 0, y: null },
  ];
  expect(
    pivot([
      { id: 'a', points: [last, first] },
      { id: 'b', points: [between, { x: 1, y: 5 }] },
    ]),
  ).toEqual([
    { x: -1, points: { a: first } },
    { x: 0, points: { b: between } },
    { x: 1, points: { a: last, b: { x: 1, y: 5 } } },
  ]);
});
