import { expect, it } from 'vitest';
import type { Study } from '@/api/studies';
import { planOf } from './study-plan';

function study(cells: readonly (readonly [string, string, Record<string, number>])[]): Study {
  return {
    name: 'A study',
    variants: {
      quick: {
        trials: 2,
        seconds: 0,
        impossible: [],
        cells: cells.map(([framework, profile, parameters]) => ({
          framework,
          scenario: 'articles',
          profile,
          parameters,
        })),
      },
    },
  } as unknown as Study;
}

it('takes one load per scenario and lists its swept values', () => {
  const plan = planOf(
    study([
      ['a', 'get-quick', { connections: 100, size_bytes: 50 }],
      ['a', 'get-quick', { connections: 100, size_bytes: 1000 }],
      ['b', 'get-quick', { connections: 100, size_bytes: 50 }],
      ['a', 'post-quick', { connections: 7 }],
    ]),
  );
  expect(plan.cells.map((cell) => cell.framework)).toEqual(['a', 'b']);
  expect(plan.profiles).toEqual({ articles: 'get-quick' });
  expect(plan.parameters).toEqual({ articles: { connections: 100, size_bytes: [50, 1000] } });
  expect(plan.trials).toBe(2);
});
