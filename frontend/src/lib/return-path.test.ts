import { expect, test } from 'vitest';
import { isReturnPath } from './return-path';
// The backend has the same rule, and reads the same cases.
import cases from './return-path-cases.json';

test.each(cases.accepted)('%s is a page to return to', (path) =>
  expect(isReturnPath(path)).toBe(true),
);

test.each(cases.refused)('%j is not a page to return to', (path) =>
  expect(isReturnPath(path)).toBe(false),
);
