import { expect, it } from 'vitest';
import { isLater } from './run-events';

it('orders stream ids as numbers, not as text', () => {
  expect(isLater('1700000000000-10', '1700000000000-9')).toBe(true);
  expect(isLater('1700000000001-0', '1700000000000-9')).toBe(true);
  expect(isLater('1700000000000-9', '1700000000000-9')).toBe(false);
  expect(isLater('999-0', '1700000000000-0')).toBe(false);
});
