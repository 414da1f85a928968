import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { onChange, refuse, respond, server, stall } from '@/testing/api';
import { answer, pendingAnswer } from '@/testing/documents/answers';
import { health } from '@/testing/documents/hosts';
import { liveRun, partialRanking, partialRun, ranking, run } from '@/testing/documents/runs';
import { drawCharts, openPage, press, see } from '@/testing/page';
import { testMissing, testWaitingAndErrors } from '@/testing/page-states';

const archivedRun = {
  ...run,
  removal: {
    seconds_at: '2027-03-03T01:00:00Z',
    logs_at: '2027-03-04T01:00:00Z',
    reason: 'archived' as const,
    seconds_note: 'Seconds were removed on 3 March 2027, when the run was archived.',
    logs_note: 'Logs were removed on 4 March 2027 by retention.',
  },
};
const url = `/r/${run.slug}`;
const path = '/api/v1/runs/{run_id}';

describe('the page of a run', () => {
  testWaitingAndErrors(url, path, run, 'Details and charts');
  testMissing('/r/nowhere', path, /There is no run nowhere/);

  test('shows the ranking in words and as a table, and the charts', async () => {
    openPage(`${url}?metric=cpu_us_per_request`);
    const [group] = ranking.groups;
    const sentence = group?.sentences[1] ?? 'none';
    // The card shows it too, for the metric that it is about.
    expect(await screen.findAllByText(new RegExp(sentence))).toHaveLength(2);
    expect(screen.getByRole('table', { name: 'Results by CPU per request' })).toBeTruthy();
    expect(await screen.findByRole('figure', { name: 'Latency by percentile' })).toBeTruthy();
  });

  test('begins with the answer, also while the run is still loading', async () => {
    openPage(url, stall(path));
    const title = await screen.findByRole('heading', { level: 1 });
    expect(title.textContent).toBe('No usable result');
    expect(screen.getByText(answer.title)).toBeTruthy();
    expect(screen.getByRole('link', { name: 'CSV' })).toBeTruthy();
  });

  test('shows the result although the answer cannot be loaded', async () => {
    openPage(url, refuse('/api/v1/runs/{run_id}/answer', { status: 503, detail: 'No answer.' }));
    await see('No answer.');
    expect((await screen.findAllByText('Go net/http')).length).toBeGreaterThan(0);
  });

  test('lists what depends on the run before it is deleted', async () => {
    const deletion = onChange('delete', path, null);
    openPage(
      url,
      respond('/api/v1/runs/{run_id}/dependents', {
        trials: 4,
        changes: 1,
        host_events: 0,
        scheduled_runs: 0,
        reruns: 0,
        snapshots: 2,
      }),
      deletion.handler,
    );
    await press('Export, reproduce, compare');
    await press('Delete run…', 'menuitem');
    const dialog = await screen.findByRole('dialog', { name: /^Delete/ });
    expect(
      await within(dialog).findByText(/^4\strials, with seconds, logs and charts$/),
    ).toBeTruthy();
    expect(within(dialog).getByText(/^1\sdetected change$/)).toBeTruthy();
    expect(within(dialog).getByText(/^2\ssaved comparisons$/)).toBeTruthy();
    expect(within(dialog).queryByText(/host event/)).toBeNull();
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete the run' }));
    await waitFor(() => expect(deletion.bodies).toHaveLength(1));
  });

  test('explains what is lost before the run is archived', async () => {
    const archived = onChange('post', '/api/v1/runs/{run_id}/archive', archivedRun);
    openPage(url, archived.handler);
    await press('Export, reproduce, compare');
    await press('Archive run…', 'menuitem');
    const dialog = await screen.findByRole('dialog', { name: /^Archive/ });
    expect(
      within(dialog).getByText(/The values of each second of each trial are lost/),
    ).toBeTruthy();
    await userEvent.click(within(dialog).getByRole('button', { name: 'Archive the run' }));
    await waitFor(() => expect(archived.bodies).toHaveLength(1));
  });

  test('shows all charts with one request, and since when the seconds are gone', async () => {
    const measurements: string[] = [];
    server.events.on('request:start', ({ request }) => {
      const { pathname } = new URL(request.url);
      if (/charts|cells|trials/.test(pathname)) measurements.push(pathname);
    });
    openPage(url, respond(path, archivedRun));
    await see(/Seconds were removed on 3 March 2027/);
    expect(await screen.findByRole('figure', { name: 'Latency by percentile' })).toBeTruthy();
    await drawCharts();
    for (const name of ['Latency heat map', 'Throughput over time', 'Page faults over time']) {
      expect(screen.getByRole('figure', { name })).toBeTruthy();
    }
    expect(measurements).toEqual([`/api/v1/runs/${run.slug}/charts`]);
    server.events.removeAllListeners();
    expect(screen.queryByRole('table', { name: 'Trials' })).toBeNull();
    await press('Trials', 'heading');
    await screen.findByRole('table', { name: 'Trials' });
    const [logs] = screen.getAllByRole('button', { name: /^Logs/ });
    if (logs === undefined) throw new Error('No trial has a button for its logs.');
    await userEvent.click(logs);
    await see(/Logs were removed on 4 March 2027/);
    await userEvent.keyboard('{Escape}');
    await press('Export, reproduce, compare');
    await screen.findByRole('menuitem', { name: 'Delete run…' });
    expect(screen.queryByRole('menuitem', { name: 'Archive run…' })).toBeNull();
  });

  test('shows an error of the ranking', async () => {
    openPage(url, refuse('/api/v1/runs/{run_id}/ranking', { status: 503, detail: 'Too busy.' }));
    expect((await screen.findByRole('alert')).textContent).toContain('Too busy.');
  });

  test('shows the ranking although its charts cannot be loaded', async () => {
    openPage(url, refuse('/api/v1/runs/{run_id}/charts', { status: 503, detail: 'Gone.' }));
    expect((await screen.findAllByText('Gone.')).length).toBeGreaterThan(0);
    expect(screen.getAllByText('Go net/http').length).toBeGreaterThan(0);
  });

  test('explains the failed trial of a partial result', async () => {
    openPage(
      `/r/${partialRun.slug}`,
      respond(path, partialRun),
      respond('/api/v1/runs/{run_id}/ranking', partialRanking),
    );
    await press('Trials', 'heading');
    expect((await screen.findAllByText(/Build failed/)).length).toBeGreaterThan(0);
  });

  test('explains a run without cells', async () => {
    openPage(url, respond(path, { ...run, cells: [], groups: [], blocks: [], trials: [] }));
    await see('This run is empty');
  });
});

describe('the page of a live run', () => {
  test('shows the progress, folds the log, and ranks nothing before the first result', async () => {
    const cells = liveRun.cells.map((cell) => ({ ...cell, summary: {} }));
    openPage(
      `/r/${liveRun.slug}`,
      respond(path, { ...liveRun, cells }),
      respond('/api/v1/runs/{run_id}/answer', pendingAnswer),
    );
    expect(await screen.findByRole('progressbar', { name: 'Progress of the run' })).toBeTruthy();
    expect(screen.getByText(/1 of 2 trials/)).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Cancel run…' })).toBeTruthy();
    const [output] = await screen.findAllByText('No output yet.');
    expect(output?.closest('details')?.open).toBe(false);
    expect(screen.queryByRole('heading', { name: 'Ranking so far' })).toBeNull();
  });

  test('shows when it starts and ends while it is queued', async () => {
    const progress = {
      ...liveRun.progress,
      trials_finished: 0,
      share: 0,
      queue_position: 2,
      estimated_seconds_until_start: 230,
      estimated_seconds_left: 460,
    };
    openPage(`/r/${liveRun.slug}`, respond(path, { ...liveRun, status: 'queued', progress }));
    await see(/2.runs ahead on bench-01: starts in about 4.min, ends in about 12.min\./);
  });

  test.each([
    [liveRun.host, true],
    ['bench-99', false],
  ])('explains that a queued run waits for the load generator of %s', async (host, isShown) => {
    const load_generator = { host, remaining_seconds: 42 };
    openPage(
      `/r/${liveRun.slug}`,
      respond(path, { ...liveRun, status: 'queued' }),
      respond('/api/v1/health', { ...health, load_generator }),
    );
    expect(await screen.findByRole('progressbar')).toBeTruthy();
    await waitFor(() =>
      expect(screen.queryAllByText(/load generator is still being built/)).toHaveLength(
        isShown ? 1 : 0,
      ),
    );
  });

  test('ranks the trials so far, marked as provisional', async () => {
    openPage(`/r/${run.slug}`, respond(path, { ...run, status: 'running' }));
    expect(await screen.findByRole('heading', { name: 'Ranking so far' })).toBeTruthy();
    expect(screen.getByText(/Provisional: ranks and intervals change/)).toBeTruthy();
    const [group] = ranking.groups;
    const table = screen.getByRole('table', {
      name: `Provisional ranking by ${group?.title ?? ''}`,
    });
    expect(table.textContent).toContain('Go net/http');
    expect(table.textContent).toContain('2 of 2');
  });
});
