import { expect, test } from 'vitest';
import { listChangedValues } from './changed-values';

test('lists changed values and leaves out equal ones', () =>
  expect(
    listChangedValues({ role: 'viewer', name: 'Ada' }, { role: 'member', name: 'Ada' }),
  ).toEqual([{ name: 'role', before: 'viewer', after: 'member' }]));

test('lists all values of a created and of a deleted item', () => {
  expect(listChangedValues(null, { hosts: ['a'], is_operator: false })).toEqual([
    { name: 'hosts', before: null, after: '["a"]' },
    { name: 'is_operator', before: null, after: 'no' },
  ]);
  expect(listChangedValues({ name: 'Nightly' }, null)).toEqual([
    { name: 'name', before: 'Nightly', after: null },
  ]);
});
