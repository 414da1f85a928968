import { expect, it } from 'vitest';
import type { ResponseChecksOut, TrialDetail } from '@/api/schema';
import { trial } from '@/testing/documents/trials';
import { describeChecks, hasWrong, sumChecks } from './checks';

const HONEST: ResponseChecksOut = {
  sent: 52_310,
  answered: 52_310,
  resent: 0,
  compared: 523,
  wrong: 0,
  signed: 0,
  bunched: 0,
  controls: 0,
  controls_wrong: 0,
  first_wrong: null,
  counts: [{ name: 'calls of the upstream', calls: 52_310 }],
};
const FIRST = { request: 'GET /hello?nonce=0', expected: 'Hello World!', got: 'Hello' };

function trialWith(checks: ResponseChecksOut | null): TrialDetail {
  return { ...trial, checks };
}

it.each<[string, Partial<ResponseChecksOut>, string]>([
  [
    'all right',
    {},
    'Every response was checked (52 310), 523 of them in full. Calls of the upstream: 52 310.',
  ],
  [
    'a full comparison',
    { compared: 52_310, counts: [] },
    'Every response was checked in full (52 310).',
  ],
  ['no sample', { compared: 0, counts: [] }, 'Every response was checked (52 310).'],
  [
    'wrong responses',
    { wrong: 12, compared: 0, counts: [] },
    'Every response was checked (52 310). Wrong responses: 12.',
  ],
  [
    'requests that were sent again',
    { resent: 3, compared: 0, counts: [] },
    'Every response was checked (52 310). ' +
      'Requests sent again, because the service had closed the connection: 3.',
  ],
  [
    'control requests',
    { controls: 52, compared: 0, counts: [] },
    'Every response was checked (52 310). Requests that the service must refuse: 52, all refused.',
  ],
  [
    'a control request that got an answer',
    { controls: 52, controls_wrong: 3, answered: 0, counts: [] },
    'Requests that the service must refuse: 52, 3 not refused.',
  ],
  [
    'streams and signatures',
    { answered: 9, compared: 0, signed: 9, bunched: 1, counts: [] },
    'Every response was checked (9). Responses with a valid signature: 9. ' +
      'Streams whose items arrived together: 1.',
  ],
])('describes %s', (_, changes, text) => {
  const sentences = describeChecks({ ...HONEST, ...changes });

  expect(sentences.join(' ').replaceAll(/[\u202f\u00a0]/g, ' ')).toBe(text);
});

it('adds up the trials that have checks, and keeps the first wrong response', () => {
  const wrong = { ...HONEST, wrong: 2, first_wrong: FIRST };

  const sum = sumChecks([trialWith(null), trialWith(HONEST), trialWith(wrong)]);

  expect(sum).toMatchObject({ answered: 104_620, wrong: 2, first_wrong: FIRST });
  expect(sum?.counts).toEqual([{ name: 'calls of the upstream', calls: 104_620 }]);
});

it('has no checks of trials from older versions', () =>
  expect(sumChecks([trialWith(null)])).toBeNull());

it('marks trials that did not do their work', () => {
  const [ok] = trial.verdicts;
  if (ok === undefined) throw new Error('The trial has no verdict.');

  expect(hasWrong([trial])).toBe(false);
  expect(hasWrong([trial, { ...trial, verdicts: [{ ...ok, verdict: 'wrong_answers' }] }])).toBe(
    true,
  );
  expect(hasWrong([{ ...trial, verdicts: [{ ...ok, verdict: 'work_not_done' }] }])).toBe(true);
});
