import { expect, it } from 'vitest';
import { compareValues, nextSorting, type Sorting, sortRows } from './column';

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

it('keeps rows without a value last in both orders', () => {
  const rows = [{ rate: 2 }, { rate: null }, { rate: 10 }, { rate: 1 }];
  const columns = [
    { id: 'rate', header: 'Rate', cell: () => null, sortBy: ({ rate }: (typeof rows)[0]) => rate },
  ];
  const rates = (order: Sorting['order']) =>
    sortRows(rows, columns, { column: 'rate', order }).map(({ rate }) => rate);
  expect(rates('asc')).toEqual([1, 2, 10, null]);
  expect(rates('desc')).toEqual([10, 2, 1, null]);
});
