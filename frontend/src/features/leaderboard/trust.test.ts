import { expect, test } from 'vitest';
import { describeTrust } from './BoardAnswer';

const board = (trusted: number, unwarned: number, count: number) =>
  describeTrust({ trusted, unwarned, entries: Array.from({ length: count }) }).replaceAll(
    /[\u202f\u00a0]/g,
    ' ',
  );

test('describes how many results have no warning, and whether the host was calibrated', () => {
  expect(board(3, 3, 3)).toBe('No result has a warning. The host is calibrated.');
  expect(board(1, 1, 1)).toBe('No result has a warning. The host is calibrated.');
  expect(board(2, 2, 5)).toBe('3 of 5 results have a warning. The host is calibrated.');
  expect(board(0, 1, 2)).toBe(
    '1 of 2 results has a warning. The host has not been calibrated in the state in which it measured them.',
  );
  expect(board(0, 0, 2)).toBe('Every result has a warning.');
});
