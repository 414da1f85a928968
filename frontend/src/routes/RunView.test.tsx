import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { refuse, respond } from '@/testing/api';
import { liveRun, partialRanking, partialRun, ranking, run } from '@/testing/documents/runs';
import { openPage } from '@/testing/page';
import { testMissing, testWaitingAndErrors } from '@/testing/page-states';

const url = `/runs/${run.slug}`;
const path = '/api/v1/runs/{run_id}';

describe('the page of a run', () => {
  testWaitingAndErrors(url, path, run, run.title);
  testMissing('/runs/nowhere', path, /There is no run nowhere/);

  test('shows the ranking in words and as a table, and the charts', async () => {
    openPage(url);
    const [group] = ranking.groups;
    expect(await screen.findByText(new RegExp(group?.sentences[1] ?? 'none'))).toBeTruthy();
    expect(screen.getAllByRole('table').length).toBeGreaterThan(1);
    expect(await screen.findByRole('figure', { name: 'Latency by percentile' })).toBeTruthy();
  });

  test('shows an error of the ranking', async () => {
    openPage(url, refuse('/api/v1/runs/{run_id}/ranking', { status: 503, detail: 'Too busy.' }));
    expect((await screen.findByRole('alert')).textContent).toContain('Too busy.');
  });

  test('shows the ranking although the seconds of its trials cannot be loaded', async () => {
    openPage(url, refuse('/api/v1/trials/{trial_id}/series', { status: 503, detail: 'Gone.' }));
    expect((await screen.findAllByText('Gone.')).length).toBeGreaterThan(0);
    expect(screen.getAllByText('Go net/http').length).toBeGreaterThan(0);
  });

  test('explains the failed trial of a partial result', async () => {
    openPage(
      `/runs/${partialRun.slug}`,
      respond(path, partialRun),
      respond('/api/v1/runs/{run_id}/ranking', partialRanking),
    );
    expect(await screen.findByText(/1 trial of Node\.js failed/)).toBeTruthy();
    expect((await screen.findAllByText(/Build failed/)).length).toBeGreaterThan(0);
  });

  test('explains a run without cells', async () => {
    openPage(url, respond(path, { ...run, cells: [], groups: [], blocks: [], trials: [] }));
    expect(await screen.findByText('This run is empty')).toBeTruthy();
  });
});

describe('the page of a live run', () => {
  test('shows the progress and the trials', async () => {
    openPage(`/runs/${liveRun.slug}`, respond(path, liveRun));
    expect(await screen.findByRole('progressbar', { name: 'Progress of the run' })).toBeTruthy();
    expect(screen.getByText(/1 of 2 trials/)).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Cancel run' })).toBeTruthy();
  });

  test('shows the place in the queue before it starts', async () => {
    const progress = { ...liveRun.progress, trials_finished: 0, share: 0, queue_position: 2 };
    openPage(`/runs/${liveRun.slug}`, respond(path, { ...liveRun, status: 'queued', progress }));
    expect(await screen.findByText(/2 runs ahead on bench-01/)).toBeTruthy();
  });
});
