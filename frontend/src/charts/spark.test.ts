import { describe, expect, it } from 'vitest';
import { layOutSpark } from './spark';

const points = (values: number[], from: number) =>
  values.map((estimate, index) => ({ estimate, isAfter: index >= from }));

describe('layOutSpark', () => {
  it('puts the largest value at the top and the rule between the two levels', () => {
    const spark = layOutSpark(points([1, 1, 3, 3], 2), 100, 50, 5);

    expect(spark.dots.map((dot) => dot.x)).toEqual([5, 35, 65, 95]);
    expect(spark.dots.map((dot) => dot.y)).toEqual([45, 45, 5, 5]);
    expect(spark.before).toEqual({ from: 5, to: 35, y: 45 });
    expect(spark.after).toEqual({ from: 65, to: 95, y: 5 });
    expect(spark.rule).toBe(50);
  });

  it('centres equal values, and accepts a single point', () => {
    expect(layOutSpark(points([2, 2], 2), 100, 50, 5).dots.map((dot) => dot.y)).toEqual([25, 25]);
    const single = layOutSpark(points([2], 1), 100, 50, 5);
    expect(single.dots).toEqual([{ x: 5, y: 25, isAfter: false }]);
    expect(single.after).toBeNull();
    expect(single.rule).toBeNull();
  });
});
