import { expect, it } from 'vitest';
import type { Run } from '@/api/runs';
import { cell } from '@/features/run-result/test-cells';
import { blockTitle, groupCells, listBlocks } from './groups';

it('groups only cells of the same scenario, profile and parameters', () => {
  const cells = [
    cell({ name: 'A' }),
    cell({ name: 'B' }),
    cell({ name: 'A', parameters: { rate_rps: 5, duration_seconds: 10 } }),
  ];
  const groups = groupCells({ cells } as unknown as Run);
  expect(groups.map((group) => [group.key, group.cells.length])).toEqual([
    ['hello.rate-quick', 2],
    ['hello.rate-quick.2', 1],
  ]);
  const blocks = listBlocks(groups);
  expect(blocks.map((block) => [blockTitle(block, blocks), block.sweep])).toEqual([
    ['Hello, rate-quick', null],
    ['Hello, rate-quick (2)', null],
  ]);
});
