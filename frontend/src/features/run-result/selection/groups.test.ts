import { expect, it } from 'vitest';
import { cell, runOf } from '@/features/run-result/test-cells';
import { listBlocks, listGroups } from './groups';

it('joins groups with their cells', () => {
  const [a, b] = [cell({ name: 'A' }), cell({ name: 'B' })];
  const [group] = listGroups(runOf([[a, b]]));
  expect(group?.key).toBe('group-0');
  expect(group?.cells).toEqual([a, b]);
});

it('shows a single group without a sweep', () => {
  const [block] = listBlocks(runOf([[cell({ name: 'A' })]]));
  expect(block?.sweep).toBeNull();
  expect(block?.groups.map(({ key }) => key)).toEqual(['group-0']);
});
