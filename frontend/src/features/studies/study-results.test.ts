import { expect, it } from 'vitest';
import type { StudyOrder, StudySlot, StudyTable } from '@/api/studies';
import { placeOrders, score } from './study-results';

function slot(published: number | null, ours: number | null): StudySlot {
  return {
    metric: 'throughput_rps',
    published,
    unit: 'req/s',
    ratio: published !== null && ours !== null ? ours / published : null,
    ours: {
      unresponsive: false,
      excluded: false,
      verdicts: ours === null ? [] : ['host_busy'],
      summary:
        ours === null
          ? null
          : { estimate: ours, low: null, high: null, unit: 'req/s', n: 1, direction: 'higher' },
    },
  };
}

const ORDER: StudyOrder = {
  label: 'RPS',
  metric: 'throughput_rps',
  direction: 'higher',
  systems: [],
  n: 3,
  kendall: 1,
};
const TABLE: StudyTable = {
  slug: 'table',
  title: 'A table',
  corner: '',
  place: 'Results',
  printed: 'table',
  setting: false,
  columns: ['One', 'Two'],
  rows: [
    {
      head: 'RPS',
      cells: [
        { printed: '100', failed: false, slots: [slot(100, 50)] },
        { printed: '', failed: false, slots: [slot(null, 70)] },
      ],
    },
  ],
  orders: [ORDER],
};

it('counts what stands beside what, which orders agree, and which have warnings', () => {
  expect(score([TABLE], [{ ...ORDER, kendall: -1 }])).toEqual({
    ranked: 2,
    agree: 1,
    paired: 1,
    published: 1,
    flagged: 2,
    warnings: ['host_busy'],
  });
});

it('puts an order where its systems stand across: at the row here', () => {
  const { ofColumns, ofRows } = placeOrders(TABLE);
  expect(ofColumns.size).toBe(0);
  expect(ofRows.get('RPS')?.kendall).toBe(1);
});
