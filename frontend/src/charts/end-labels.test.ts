import { describe, expect, it } from 'vitest';
import { spreadLabels } from './end-labels';

const GAP = 15;
const spread = (...wanted: number[]) => spreadLabels(wanted, GAP, 8, 208);

describe('spreadLabels', () => {
  it('leaves labels at their wanted heights if there is space', () =>
    expect(spread(20, 100, 60)).toEqual([20, 100, 60]));

  it('separates two labels that would overlap, each by half', () =>
    expect(spread(100, 104)).toEqual([94.5, 109.5]));

  it('keeps the order of the lines', () => {
    const [a = 0, b = 0, c = 0] = spread(101, 99, 100);
    expect(b).toBeLessThan(c);
    expect(c).toBeLessThan(a);
  });

  it('stays within the plot, and never closer than the gap', () => {
    const placed = spread(200, 207, 208, 8, 8, 9).sort((a, b) => a - b);
    expect(placed[0]).toBeGreaterThanOrEqual(8);
    expect(placed.at(-1)).toBeLessThanOrEqual(208);
    placed
      .slice(1)
      .forEach((at, index) => expect(at - (placed[index] ?? 0)).toBeGreaterThanOrEqual(GAP - 1e-9));
  });
});
