import { describe, expect, test } from 'vitest';
import { metrics } from '@/testing/documents/catalogue';
import { changeOf, loadOf, unknownOf } from '@/testing/documents/guards';
import {
  describeDirections,
  describePossible,
  describeState,
  findAxisEnd,
  formatChange,
  formatChangeInterval,
  isWithinAxis,
  limitRatio,
} from './changes';
import cases from './change-cases.json';

describe('changes', () => {
  test.each(cases as [number, string][])('shows the ratio %s as in the headline', (ratio, text) => {
    expect(formatChange(ratio).replace('\u202f', ' ')).toBe(text);
  });

  test('shows intervals, those of large changes as factors', () => {
    expect(formatChangeInterval(changeOf())).toBe('[+6.1, +9.8]');
    expect(formatChangeInterval(changeOf({ low: 1.9, high: 2.4 }))).toBe('[+90\u202f%, ×2.4]');
    expect(formatChangeInterval(changeOf({ low: null, high: null }))).toBeNull();
  });

  test('names states and what is still possible', () => {
    expect(describeState(changeOf({ state: 'within_limit' }))).toBe('no difference above 3\u202f%');
    expect(describePossible(changeOf())).toBeNull();
    expect(describePossible(unknownOf())).toBe(
      'still possible: between −1.8\u202f% and +6.1\u202f%',
    );
    expect(describePossible(unknownOf({ low: null, high: null }))).toBeNull();
  });

  test('names which values are better', () => {
    const orders = changeOf({ metric: 'script:orders', less_is_worse: true });
    const wait = changeOf({ metric: 'script:wait.p95' });
    const describe = (...changes: (typeof wait)[]) => describeDirections(changes, metrics.items);
    expect(describe(changeOf(), wait)).toBe('Lower is better.');
    expect(describe(orders)).toBe('Higher is better.');
    expect(describe(changeOf(), orders, changeOf({ metric: 'throughput_rps' }))).toBe(
      'Lower is better, except for orders and Throughput.',
    );
  });

  test('finds an axis that holds all intervals', () => {
    const end = findAxisEnd([loadOf({ changes: [changeOf({ limit: 0.1, high: 1.3 })] })]);
    expect(end).toBe(0.3);
    expect(isWithinAxis(1.3, end)).toBe(true);
  });

  test('cuts off a change that would hide the others', () => {
    const end = findAxisEnd([loadOf({ changes: [changeOf(), changeOf({ low: 2.2, high: 2.6 })] })]);
    expect(end).toBe(0.15);
  });

  test('puts the limit below 1 if more of a metric is better', () => {
    expect(limitRatio(0.25, 'lower')).toBe(1.25);
    expect(limitRatio(0.25, 'higher')).toBe(0.8);
  });
});
