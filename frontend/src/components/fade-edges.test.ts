import { expect, it } from 'vitest';
import { hiddenSides } from './fade-edges';

it.each([
  ['content that fits', 0, 390, { left: false, right: false }],
  ['content that is rounded up by a pixel', 0, 391, { left: false, right: false }],
  ['the beginning', 0, 900, { left: false, right: true }],
  ['the middle', 200, 900, { left: true, right: true }],
  ['the end', 510, 900, { left: true, right: false }],
])('finds the hidden sides: %s', (_, scrollLeft, scrollWidth, sides) =>
  expect(hiddenSides({ scrollLeft, scrollWidth, clientWidth: 390 })).toEqual(sides),
);
