import { expect, it } from 'vitest';
import { faultOf } from './whole-number';

const RATE = { value: 500, min: 1, max: 65_535, unit: 'req/s' };

it('says the exact bounds of a number beyond them, and nothing within', () => {
  expect(faultOf(1, RATE)).toBeNull();
  expect(faultOf(65_535, RATE)).toBeNull();
  const told = faultOf(65_536, RATE)?.replaceAll('\u202f', ' ');
  expect(told).toBe('Enter a whole number from 1 to 65 535 req/s.');
  expect(faultOf(0, RATE)).toContain('1 to');
});

it('says what stays while there is no number', () => {
  expect(faultOf('', RATE)).toContain('The value is still 500');
  expect(faultOf('-', RATE)).toContain('The value is still 500');
});
