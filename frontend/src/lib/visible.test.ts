import { expect, it } from 'vitest';
import { isAlone, isolate, isVisible, toggle } from './visible';

const ALL = ['go', 'node', 'rust'];

it('isolates, and shows all again', () => {
  expect(isolate('', 'go')).toBe('go');
  expect(isolate('go,node', 'go')).toBe('go');
  expect(isolate('go', 'go')).toBe('');
  expect([isAlone('go', 'go'), isAlone('go,node', 'go'), isAlone('', 'go')]).toEqual([
    true,
    false,
    false,
  ]);
});

it('hides one and shows it again; hiding the last brings back all', () => {
  expect(toggle('', 'node', ALL)).toBe('go,rust');
  expect(toggle('go,rust', 'node', ALL)).toBe('');
  expect(toggle('go', 'go', ALL)).toBe('');
  expect(toggle('go', 'rust', ALL)).toBe('go,rust');
  expect(isVisible('go,rust', 'node')).toBe(false);
});
