import { expect, it } from 'vitest';
import { splitInterval } from './ratio';

it('divides a comparison into figure and interval', () => {
  expect(splitInterval('1.54× [1.50, 1.58]')).toEqual({
    figure: '1.54×',
    interval: '[1.50, 1.58]',
  });
  expect(splitInterval('−2.10\u202fpp [−3.50, +0.500]')).toEqual({
    figure: '−2.10\u202fpp',
    interval: '[−3.50, +0.500]',
  });
});

it('has no interval with few trials, and at a bound', () => {
  expect(splitInterval('2×')).toEqual({ figure: '2×', interval: null });
  expect(splitInterval('at least 1.83×')).toEqual({ figure: 'at least 1.83×', interval: null });
});
