/** A choice between two frameworks with a missing third. */
import type { ChoiceCellOut } from '@/api/schema';
import type { DocumentAt } from '../api';
import { AT, GO, HELLO, idOf, NODE } from './builders';

const BETTER: ChoiceCellOut = {
  criterion: 'latency',
  availability: 'measured',
  words: '',
  estimate: {
    estimate: 4,
    low: 3.9,
    high: 4.1,
    values: [],
    unit: 'ms',
    n: 5,
    direction: 'lower',
    is_bound: false,
  },
  rank: 1,
  to_best: null,
  verdicts: [],
  cell_id: idOf(1),
  permalink: '/r/k3v9q2mx4d',
  at: AT,
};

const MISSING: ChoiceCellOut = {
  ...BETTER,
  availability: 'missing',
  words: 'not measured',
  estimate: null,
  rank: null,
  cell_id: null,
  permalink: null,
  at: null,
};

export const choice: DocumentAt<'/api/v1/choice'> = {
  scenario: HELLO,
  host: 'bench-01',
  hosts: ['bench-01'],
  parameters: [{ name: 'rate_rps', title: 'Rate', unit: 'req/s', values: [200, 1000] }],
  outcome: 'framework',
  best: ['node'],
  headline: 'Choose Node.js of the 2 measured: it is fastest by latency p99',
  sentences: ['Differences above 3 % are detectable on this host.'],
  against: ['By memory peak, Go net/http is better: 10 MiB against 40 MiB, which is 4.00×.'],
  missing: ['Express is not measured.'],
  columns: [
    {
      criterion: 'latency',
      metric: 'latency_p99_ms',
      title: 'Latency p99',
      unit: 'ms',
      direction: 'lower',
      load: '1 000 req/s for 10 s',
      runtime: 'process',
      sentences: [],
    },
  ],
  rows: [
    { framework: NODE, cells: [BETTER] },
    { framework: GO, cells: [MISSING] },
  ],
  run: {
    label: 'Measure 1 missing result',
    plan: { cells: [{ framework: 'express', scenario: 'hello' }], trials: 5 },
    seconds: 215,
  },
};
