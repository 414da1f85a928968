/** Pages of runs that continue until their answer is certain. */
import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { respond } from '@/testing/api';
import { answer } from '@/testing/documents/answers';
import { liveRun, ranking, run } from '@/testing/documents/runs';
import { openPage, see } from '@/testing/page';

const path = '/api/v1/runs/{run_id}';
const goal = {
  until: 'ranked',
  max_trials: 10,
  max_minutes: 3,
  state: 'open',
  blocks: 0,
  more_trials: null,
  sentence: 'The run continues until the ranking is certain.',
} as const;

describe('a finished run with a goal', () => {
  test.each([
    'Stopped after 4 trials each: Go net/http has the lowest CPU per request.',
    'Stopped after 9 trials each: Node.js and Go net/http are equivalent in CPU per request, within 4.5 %.',
  ])('that is reached shows why it stopped', async (sentence) => {
    openPage(
      `/r/${run.slug}`,
      respond(path, { ...run, goal: { ...goal, state: 'reached', blocks: 4, sentence } }),
      respond('/api/v1/runs/{run_id}/ranking', ranking),
    );
    await see(sentence);
  });

  test('that is not reached shows why only in its answer', async () => {
    const sentence =
      'Limit of 3 minutes reached after 2 trials each; about 4 more would be needed.';
    openPage(
      `/r/${run.slug}`,
      respond(path, { ...run, goal: { ...goal, state: 'max_minutes', blocks: 2, sentence } }),
      respond('/api/v1/runs/{run_id}/answer', {
        ...answer,
        sentences: [...answer.sentences, sentence],
      }),
    );
    expect((await screen.findAllByText(new RegExp(sentence))).length).toBe(1);
  });

  test('shows nothing about its goal if it was cancelled before', async () => {
    openPage(`/r/${run.slug}`, respond(path, { ...run, goal: { ...goal, sentence: null } }));
    expect((await screen.findAllByText('Go net/http')).length).toBeGreaterThan(0);
    expect(screen.queryByText(/Stopped after|Limit of|run continues/)).toBeNull();
  });
});

describe('a live run with a goal', () => {
  const progress = { ...liveRun.progress, trials_finished: 8, estimated_seconds_left: 65 };

  test('counts its trials without a total and shows the time until its limits', async () => {
    const sentence = '4 trials each so far; about 2 more each until the ranking is certain.';
    openPage(
      `/r/${liveRun.slug}`,
      respond(path, { ...liveRun, progress, goal: { ...goal, blocks: 4, sentence } }),
    );
    await see(sentence);
    expect(screen.getByText(/8\strials done/)).toBeTruthy();
    expect(screen.getByText(/at most 1\smin 5\ss left/)).toBeTruthy();
    expect(screen.queryByText(/of \d+\strials/)).toBeNull();
  });

  test('shows what it waits for before the first judgement', async () => {
    openPage(`/r/${liveRun.slug}`, respond(path, { ...liveRun, goal }));
    await see(goal.sentence);
    expect(screen.getByRole('progressbar', { name: 'Progress of the run' })).toBeTruthy();
  });
});
