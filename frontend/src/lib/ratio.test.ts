import { expect, it } from 'vitest';
import { formatComparison } from './ratio';

it('formats a ratio with its interval', () => {
  expect(formatComparison({ ratio: 1.54, difference: null, low: 1.5, high: 1.58 })).toEqual({
    figure: '1.54×',
    interval: '[1.50, 1.58]',
  });
});

it('formats a difference of shares in percentage points', () => {
  expect(formatComparison({ ratio: null, difference: -0.021, low: -0.035, high: 0.005 })).toEqual({
    figure: '−2.10\u202fpp',
    interval: '[−3.50, +0.500]',
  });
});

it('has no interval with few trials', () => {
  expect(formatComparison({ ratio: 2, low: null, high: null }).interval).toBeNull();
  expect(formatComparison({ ratio: null, difference: 0, low: null, high: null })).toEqual({
    figure: '0\u202fpp',
    interval: null,
  });
});
