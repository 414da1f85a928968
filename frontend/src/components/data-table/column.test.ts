import { expect, it } from 'vitest';
import { compareValues, nextSorting, type Sorting } from './column';

it('orders numbers by size and text by the rules of the user’s language', () => {
  expect([10, 9, 100].sort(compareValues)).toEqual([9, 10, 100]);
  expect(['Zend', 'éclair', 'axum 10', 'axum 9'].sort(compareValues)).toEqual([
    'axum 9',
    'axum 10',
    'éclair',
    'Zend',
  ]);
});

it('sorts in ascending order, then in descending order, then not at all', () => {
  const ascending: Sorting = { column: 'rate', order: 'asc' };
  const descending: Sorting = { column: 'rate', order: 'desc' };
  expect(nextSorting(null, 'rate')).toEqual(ascending);
  expect(nextSorting(ascending, 'rate')).toEqual(descending);
  expect(nextSorting(descending, 'rate')).toBeNull();
  expect(nextSorting(descending, 'name')).toEqual({ column: 'name', order: 'asc' });
});
