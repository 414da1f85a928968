import { expect, it } from 'vitest';
import type { CellOut } from '@/api/schema';
import { cell } from '@/features/run-result/test-cells';
import { listConditions, listSharedWarnings } from './shared-notes';

type Warning = CellOut['verdicts'][number];

const FEW: Warning = {
  verdict: 'too_few_trials',
  detail: 'Only 2 of the 5 recommended trials.',
  trials: 2,
  excludes_from_ranking: false,
};
const ERRORS: Warning = { ...FEW, verdict: 'too_many_errors', excludes_from_ranking: true };
const OK: Warning = { ...FEW, verdict: 'ok' };

function busy(percent: number): Warning {
  return { ...FEW, verdict: 'host_busy', detail: `Other programs used ${percent}%.` };
}

function result(...verdicts: Warning[]): CellOut {
  return { ...cell({ name: String(verdicts.length) }), verdicts };
}

it.each<[string, CellOut[], Warning[]]>([
  ['the warnings of all results', [result(FEW), result(FEW)], [{ ...FEW, trials: 4 }]],
  [
    'no detail that differs',
    [result(busy(7)), result(FEW, busy(9))],
    [{ ...busy(7), detail: '', trials: 4 }],
  ],
  ['no result without a value', [result(FEW), result(FEW), result()], [{ ...FEW, trials: 4 }]],
  [
    'no warning of only some results',
    [result(FEW, busy(7)), result(busy(7))],
    [{ ...busy(7), trials: 4 }],
  ],
  [
    'the warnings of results that are not excluded',
    [result(FEW), { ...result(ERRORS), excluded: true }, result(FEW)],
    [{ ...FEW, trials: 4 }],
  ],
  ['no excluding verdict', [result(ERRORS), result(ERRORS)], []],
  [
    'the reason why all results are excluded',
    [
      { ...result(ERRORS), excluded: true },
      { ...result(ERRORS, FEW), excluded: true },
    ],
    [{ ...ERRORS, trials: 4 }],
  ],
  ['nothing of results that are ok', [result(OK), result(OK)], []],
  ['nothing of a single result', [result(FEW)], []],
  ['nothing without results', [], []],
])('shares %s', (_, cells, shared) => expect(listSharedWarnings(cells)).toEqual(shared));

it('lists the sentences about isolation and shared CPUs, and none in old runs', () => {
  const sharing = ['Load and service share CPU 1.'];
  expect(listConditions({ isolation_notes: ['Not isolated.'], cpu_sharing: sharing })).toEqual([
    'Not isolated.',
    'Load and service share CPU 1.',
  ]);
  expect(listConditions({})).toEqual([]);
});
