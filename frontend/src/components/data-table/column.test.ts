import { expect, it } from 'vitest';
import { compareValues } from './column';

it('orders numbers by size and text by the rules of the user’s language', () => {
  expect([10, 9, 100].sort(compareValues)).toEqual([9, 10, 100]);
  expect(['Zend', 'éclair', 'axum 10', 'axum 9'].sort(compareValues)).toEqual([
    'axum 9',
    'axum 10',
    'éclair',
    'Zend',
  ]);
});
