import { describe, expect, it } from 'vitest';
import { listBlocks } from '@/features/run-result/selection/groups';
import { cell, METRIC, runOf, type Spec } from '@/features/run-result/test-cells';
import { sweepCurves, sweepRows } from './sweep';

describe('a sweep', () => {
  const at = (name: string, delay: number, value?: Spec['value'], excluded = false) =>
    cell({ name, parameters: { rate_rps: 9, delay_ms: delay }, ...(value && { value }), excluded });
  const slow = [at('A', 100, [10, 9, 11]), at('B', 100, [30, 28, 33], true)];
  const slower = [at('A', 500, [20, 19, 21]), at('B', 500)];
  const [block] = listBlocks(runOf([slow, slower], 'delay_ms'));

  it('has the values of the swept parameter', () => {
    expect(block?.sweep).toEqual({ parameter: 'delay_ms', values: [100, 500] });
    expect(block?.groups.map((group) => group.parameters.delay_ms)).toEqual([100, 500]);
  });

  it('becomes one curve per framework, with hollow excluded points and gaps without a value', () => {
    if (!block?.sweep) throw new Error('no sweep');
    const curves = sweepCurves(sweepRows(block, block.sweep, METRIC));
    expect(curves.map((curve) => curve.dots.map((dot) => [dot.x, dot.y, dot.hollow]))).toEqual([
      [
        [100, 10, undefined],
        [500, 20, undefined],
      ],
      [
        [100, 30, true],
        [500, null, undefined],
      ],
    ]);
  });
});
