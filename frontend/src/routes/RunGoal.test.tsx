/** Pages of runs that continue until their answer is certain. */
import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { respond } from '@/testing/api';
import { liveRun, ranking, run } from '@/testing/documents/runs';
import { openPage } from '@/testing/page';

const path = '/api/v1/runs/{run_id}';
const goal = {
  until: 'ranked',
  max_trials: 10,
  max_minutes: 3,
  state: 'open',
  blocks: 0,
  more_trials: null,
  disturbed_trials: 0,
  sentence: 'The run continues until the ranking is certain.',
} as const;

describe('a finished run with a goal', () => {
  test.each([
    ['reached', 'Stopped after 4 trials each: Go net/http has the lowest CPU per request.'],
    [
      'reached',
      'Stopped after 9 trials each: Node.js and Go net/http are equivalent in CPU per request, within 4.5 %.',
    ],
    [
      'max_minutes',
      'Limit of 3 minutes reached after 2 trials each; at least 1 more trial each would be needed to rank Node.js and Go net/http. 4 trials do not count because the host disturbed them.',
    ],
    [
      'failed',
      "Stopped after 3 trials each: Tacho could not judge the goal because of an internal error. The worker's log has the details. Run it again.",
    ],
  ] as const)('that is %s shows how it ended', async (state, sentence) => {
    openPage(
      `/runs/${run.slug}`,
      respond(path, { ...run, goal: { ...goal, state, blocks: 4, sentence } }),
      respond('/api/v1/runs/{run_id}/ranking', ranking),
    );
    expect(await screen.findByText(sentence)).toBeTruthy();
  });

  test('shows nothing about its goal if it was cancelled before', async () => {
    openPage(`/runs/${run.slug}`, respond(path, { ...run, goal: { ...goal, sentence: null } }));
    expect((await screen.findAllByText('Go net/http')).length).toBeGreaterThan(0);
    expect(screen.queryByText(/Stopped after|Limit of|run continues/)).toBeNull();
  });
});

describe('a live run with a goal', () => {
  const progress = { ...liveRun.progress, trials_finished: 8, estimated_seconds_left: 65 };

  test('counts its trials without a total and shows the time until its limits', async () => {
    const sentence = '4 trials each so far; about 2 more each until the ranking is certain.';
    openPage(
      `/runs/${liveRun.slug}`,
      respond(path, { ...liveRun, progress, goal: { ...goal, blocks: 4, sentence } }),
    );
    expect(await screen.findByText(sentence)).toBeTruthy();
    expect(screen.getByText(/8\strials done/)).toBeTruthy();
    expect(screen.getByText(/at most 1\smin 5\ss left/)).toBeTruthy();
    expect(screen.queryByText(/of \d+\strials/)).toBeNull();
  });

  test('shows what it waits for before the first judgement', async () => {
    openPage(`/runs/${liveRun.slug}`, respond(path, { ...liveRun, goal }));
    expect(await screen.findByText(goal.sentence)).toBeTruthy();
    expect(screen.getByRole('progressbar', { name: 'Progress of the run' })).toBeTruthy();
  });
});
