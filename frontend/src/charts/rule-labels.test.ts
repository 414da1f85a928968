import { expect, it } from 'vitest';
import { placeLabels } from './rule-labels';

const label = (at: number, width = 40) => ({ at, width });

it('centres labels at their rules, and keeps them inside the plot', () =>
  expect(placeLabels([label(2), label(100), label(299)], 0, 300)).toEqual([20, 100, 280]));

it('leaves out labels that would overlap', () =>
  expect(placeLabels([label(50), label(60), label(120)], 0, 300)).toEqual([50, null, 120]));
