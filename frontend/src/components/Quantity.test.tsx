import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Quantity } from './Quantity';

test('a bound begins with words, as does its title', () => {
  const { container } = render(<Quantity value={2485} unit="µs" isBound />);
  expect(container.textContent).toMatch(/^at least 2/);
  expect(container.querySelector('span')?.title).toBe('at least 2485 µs');
});

test('another value has no sign', () => {
  const { container } = render(<Quantity value={2485} unit="µs" />);
  expect(container.textContent).toMatch(/^2/);
  expect(container.querySelector('span')?.title).toBe('2485 µs');
});
