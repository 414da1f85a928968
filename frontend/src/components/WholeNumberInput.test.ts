import { expect, it } from 'vitest';
import { faultOf } from './WholeNumberInput';

const RATE = { value: 500, min: 1, max: 65_535, unit: 'req/s' };

it('names the exact bounds for a number outside them, and accepts numbers inside', () => {
  expect(faultOf(1, RATE)).toBeNull();
  expect(faultOf(65_535, RATE)).toBeNull();
  const told = faultOf(65_536, RATE)?.replaceAll(/[\u202f\u00a0]/g, ' ');
  expect(told).toBe('Enter a whole number from 1 to 65 535 req/s.');
  expect(faultOf(0, RATE)).toContain('1 to');
});

it('names the value that stays while no number is typed', () => {
  expect(faultOf('', RATE)).toContain('The value is still 500');
  expect(faultOf('-', RATE)).toContain('The value is still 500');
});
