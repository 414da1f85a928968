import { expect, it } from 'vitest';
import { drawPaths } from './live-paths';

it('draws a line and the area below it, from the first second of the window', () => {
  const points = [
    { x: 5, y: 0 },
    { x: 6, y: 50 },
    { x: 7, y: 100 },
  ];
  expect(drawPaths(points, 5, 100)).toEqual({
    line: 'M0 1L1 0.5L2 0',
    area: 'M0 1L0 1L1 0.5L2 0L2 1Z',
  });
});

it('leaves a gap where a second has no value', () => {
  const points = [
    { x: 0, y: 1 },
    { x: 1, y: null },
    { x: 2, y: 2 },
    { x: 3, y: 2 },
  ];
  const { line, area } = drawPaths(points, 0, 2);
  expect(line).toBe('M0 0.5M2 0L3 0');
  expect(area).toBe('M0 1L0 0.5L0 1ZM2 1L2 0L3 0L3 1Z');
});

it('draws nothing without points', () =>
  expect(drawPaths([], 0, 1)).toEqual({ line: '', area: '' }));
