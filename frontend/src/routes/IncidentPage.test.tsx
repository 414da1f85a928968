import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import { refuse, respond } from '@/testing/api';
import { incident } from '@/testing/documents/incidents';
import { change } from '@/testing/documents/results';
import { openPage, press, see } from '@/testing/page';
import { testMissing, testWaitingAndErrors } from '@/testing/page-states';

const PATH = '/api/v1/incidents/{incident_id}';
const URL = `/incidents/${incident.id}`;

function openWith(part: Partial<typeof incident>): void {
  openPage(URL, respond(PATH, { ...incident, ...part }));
}

describe('the page of an incident', () => {
  testWaitingAndErrors(URL, PATH, incident, /of the earlier level/);
  testMissing(URL, PATH, /There is no incident/);

  test('shows the next step, all series, the confirmation run and what differs', async () => {
    openPage(URL);
    await see('Wait for the confirmation run.');
    const table = await screen.findByRole('table', { name: 'Series that shifted' });
    const text = table.textContent;
    expect(text.indexOf('1.08×')).toBeGreaterThan(-1);
    expect(text.indexOf('1.05×')).toBeGreaterThan(text.indexOf('1.08×'));
    const bar = await screen.findByRole('progressbar', { name: /Confirmation run/ });
    expect(bar.getAttribute('aria-valuenow')).toBe('40');
    expect(screen.getByText(/4 of 10.trials, about 1.min 30.s left/)).toBeTruthy();
    await see('+slow();');
    const versions = screen.getByRole('table', { name: 'Versions' });
    expect(within(versions).getByText('24.2.0')).toBeTruthy();
    expect(screen.getByText('git diff cccccccccccc dddddddddddd')).toBeTruthy();
  });

  test('explains why there is no confirmation run', async () => {
    openWith({ confirmation_runs: [] });
    await see(/^No confirmation run\. The builds before/);
  });

  test('names the files to callers who may not read code', async () => {
    const programs = incident.programs.map((program) => ({
      ...program,
      files: program.files.map((file) => ({ ...file, diff: null })),
    }));
    openWith({ programs });
    await see('server.js');
    expect(screen.queryByText('+slow();')).toBeNull();
  });

  test('explains that the sources of a build are not recorded', async () => {
    const programs = incident.programs.map((program) => ({
      ...program,
      is_recorded: false,
      versions: [],
      files: [],
    }));
    openWith({ programs });
    await see(/only the digests are known/);
  });

  test('explains that the build is the same', async () => {
    openWith({ programs: [] });
    await see('The build is the same before and after.');
  });

  test('shows another series in the chart, names it, and leads back', async () => {
    const other = {
      ...change,
      id: incident.changes[1]?.id ?? '',
      metric: 'latency_p99_ms',
    } as const;
    const title = 'Latency p50 of Node.js on Hello';
    openPage(URL, respond('/api/v1/changes/{change_id}', other));
    const heading = await screen.findByRole('heading', { level: 1 });
    expect(heading.textContent).toContain(title);
    await press('Show the chart of Latency p99 of Node.js on Hello');
    expect(
      await screen.findByRole('figure', { name: 'Latency p99 of Node.js on Hello' }),
    ).toBeTruthy();
    const notice = screen.getByText(/The chart shows another series/);
    expect(notice.textContent).toContain('Latency p99 of Node.js on Hello, 1.05× [1.04, 1.06]');
    await press('Show the largest shift');
    expect(await screen.findByRole('figure', { name: title })).toBeTruthy();
    expect(screen.queryByText(/The chart shows another series/)).toBeNull();
  });

  test('shows the rest although the series of the chart cannot be loaded', async () => {
    const url = `${URL}?series=${incident.changes[1]?.id ?? ''}`;
    openPage(url, refuse('/api/v1/changes/{change_id}', { status: 503, detail: 'No series.' }));
    expect((await screen.findByRole('alert')).textContent).toContain('No series.');
    expect(screen.getByText('Wait for the confirmation run.')).toBeTruthy();
  });

  test('acknowledges a confirmed incident with a note', async () => {
    const sent: unknown[] = [];
    openPage(
      URL,
      respond(PATH, { ...incident, status: 'confirmed' }),
      http.patch('*/api/v1/incidents/:id', async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json({ ...incident, status: 'confirmed', is_open: false });
      }),
    );
    await press('Decide about all series');
    await press('Acknowledge', 'menuitem');
    await userEvent.type(await screen.findByRole('textbox', { name: 'Note' }), 'On purpose.');
    await press('Acknowledge');
    expect(sent).toEqual([{ acknowledged: true, note: 'On purpose.' }]);
  });
});
