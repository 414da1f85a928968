import { expect, it } from 'vitest';
import type { ClaimOut, FigureComparisonOut, OrderOut, TableOut } from '@/api/schema';
import { describeFindings, formatCoefficient, placeOrders, score } from './study-results';

function figure(published: number | null, measured: number | null): FigureComparisonOut {
  return {
    metric: 'throughput_rps',
    published,
    unit: 'req/s',
    ratio: published !== null && measured !== null ? measured / published : null,
    measured: {
      unresponsive: false,
      excluded: false,
      verdicts: measured === null ? [] : ['host_busy'],
      summary:
        measured === null
          ? null
          : { estimate: measured, low: null, high: null, unit: 'req/s', n: 1, direction: 'higher' },
    },
  };
}

const ORDER: OrderOut = {
  label: 'RPS',
  metric: 'throughput_rps',
  direction: 'higher',
  systems: [],
  n: 3,
  kendall: 1,
};
const TABLE: TableOut = {
  slug: 'table',
  title: 'A table',
  corner: '',
  source_location: 'Results',
  printed: 'table',
  setting: false,
  columns: ['One', 'Two'],
  rows: [
    {
      head: 'RPS',
      cells: [
        { printed: '100', failed: false, figures: [figure(100, 50)] },
        { printed: '', failed: false, figures: [figure(null, 70)] },
      ],
    },
  ],
  orders: [ORDER],
};

it('counts published and measured figures, and warnings', () =>
  expect(score([TABLE])).toEqual({
    paired: 1,
    published: 1,
    flagged: 2,
    warnings: ['host_busy'],
  }));

it('assigns an order to the row whose columns are its systems', () => {
  const { ofColumns, ofRows } = placeOrders(TABLE);
  expect(ofColumns.size).toBe(0);
  expect(ofRows.get('RPS')?.kendall).toBe(1);
});

const claims = (...findings: ClaimOut['finding'][]): ClaimOut[] =>
  findings.map((finding) => ({
    words: '',
    headline: false,
    source_location: '',
    finding,
    checks: [],
  }));

it.each([
  [claims(), ''],
  [claims('does_not_hold'), 'Of 1 claim, 1 does not hold here.'],
  [
    claims('holds', 'holds', 'does_not_hold', 'undecided', 'undecided'),
    'Of 5 claims, 2 hold here, 1 does not and 2 are undecided.',
  ],
])('describes how many claims hold, without those that are 0', (of, text) =>
  expect(describeFindings(of).replaceAll('\u00a0', ' ')).toBe(text),
);

it('writes a negative coefficient with a minus sign', () =>
  expect([0.5, -1 / 3].map(formatCoefficient)).toEqual(['0.50', '−0.33']));
