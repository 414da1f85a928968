import { screen, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import { refuse, respond } from '@/testing/api';
import { emptyHome, home } from '@/testing/documents/home';
import { health } from '@/testing/documents/hosts';
import { runs } from '@/testing/documents/runs';
import { openPage, see } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

const none = { items: [], next: null };

describe('the overview', () => {
  testWaitingAndErrors('/', '/api/v1/runs', runs, 'Node against Go');
  testWaitingAndErrors('/', '/api/v1/home', home, 'Nightly');

  test('explains what to do on a new installation', async () => {
    openPage('/', respond('/api/v1/runs', none), respond('/api/v1/home', emptyHome));
    await see('No runs yet');
    await see('No bench host yet');
    expect(await screen.findByRole('button', { name: 'Run First look' })).toBeTruthy();
    expect(screen.queryByRole('heading', { name: 'Open changes' })).toBeNull();
  });

  test('shows that the load generator is still being built', async () => {
    const load_generator = { host: 'bench-01', remaining_seconds: 42 };
    openPage('/', respond('/api/v1/health', { ...health, load_generator }));
    await see(/The load generator is still being built/);
    expect(screen.getByText(/About 42\ss left\. Runs on bench-01 are queued/)).toBeTruthy();
  });

  test('explains that no framework can run', async () => {
    openPage('/', respond('/api/v1/presets', { items: [], next: null }));
    await see('No framework can run on this machine yet');
  });

  test('shows the runs although the state cannot be loaded', async () => {
    openPage('/', refuse('/api/v1/home', { status: 503, detail: 'No state for now.' }));
    expect((await screen.findByRole('alert')).textContent).toContain('No state for now.');
    expect(await screen.findByRole('link', { name: 'Node against Go' })).toBeTruthy();
  });

  test('shows once that the server cannot be reached', async () => {
    openPage(
      '/',
      http.all('*/api/v1/*', () => HttpResponse.error()),
    );
    expect(await screen.findAllByRole('alert')).toHaveLength(1);
    expect(screen.getByRole('alert').textContent).toContain('Tacho is not responding');
    expect((await screen.findAllByText('Not loaded.')).length).toBeGreaterThan(1);
  });

  test('shows open changes with their size first, then schedules, hosts and runs', async () => {
    openPage('/');
    const section = await screen.findByRole('region', { name: 'Open changes (1)' });
    expect(within(section).getByText('1.08×')).toBeTruthy();
    expect(within(section).getByRole('link', { name: /of Node\.js on Hello/ })).toBeTruthy();
    const [first] = screen.getAllByRole('heading', { level: 2 });
    expect(first?.textContent).toBe('Open changes (1)');
    expect(screen.getByRole('region', { name: 'Schedules' }).textContent).toContain(
      'CPU per request of Node.js on Hello: 1.12× [1.08, 1.16] of the run before, worse',
    );
    const queues = screen.getByRole('region', { name: 'Hosts' });
    expect(queues.textContent).toMatch(
      /Measuring Live: 6.trials left, a new run starts in about 4.min/,
    );
    expect(within(queues).getByRole('link', { name: 'bench-01' })).toBeTruthy();
    expect(await screen.findByRole('link', { name: 'Half failed' })).toBeTruthy();
    expect(screen.getByRole('progressbar', { name: 'Live: progress' })).toBeTruthy();
  });

  test('lists the latest runs without those of schedules', async () => {
    const queries: string[] = [];
    openPage(
      '/',
      http.get('*/api/v1/runs', ({ request }) => {
        const query = new URL(request.url).searchParams.get('scheduled');
        queries.push(query ?? 'all');
        return HttpResponse.json(query === 'false' ? none : runs);
      }),
    );
    await see('Only schedules have started runs');
    expect(screen.getByText(/^Runs of schedules are on the pages/)).toBeTruthy();
    expect(queries).toContain('false');
  });

  test('shows that no change is open', async () => {
    openPage('/', respond('/api/v1/home', { ...home, open_incidents: 0, incidents: [] }));
    await see(/^None\. Every detected change/);
  });

  test.each([
    [{ shifts: [] }, /^No difference from the run before is shown in 3.results$/],
    [{ shifts: [], previous_slug: null, compared: 0 }, /^First result/],
    [{ shifts: [], compared: 0 }, /^No result can be compared/],
  ])('describes a schedule without a change', async (part, expected) => {
    const schedules = home.schedules.map((schedule) => ({
      ...schedule,
      latest: schedule.latest && { ...schedule.latest, ...part },
    }));
    openPage('/', respond('/api/v1/home', { ...home, schedules }));
    await see(expected);
  });

  test('shows that a scheduled result is missing', async () => {
    const newest = { due_at: '2026-11-23T02:00:00Z', status: 'missed', reason: null } as const;
    const schedules = home.schedules.map((schedule) => ({ ...schedule, newest, latest: null }));
    openPage('/', respond('/api/v1/home', { ...home, schedules }));
    await see('missed');
    expect(screen.getByText('No result yet')).toBeTruthy();
  });
});

describe('the navigation', () => {
  test('shows the number of open changes', async () => {
    openPage('/', respond('/api/v1/open-incidents', { open: 4 }));
    const pages = await screen.findByRole('navigation', { name: 'Pages' });
    expect(await within(pages).findByRole('link', { name: 'Changes 4 open' })).toBeTruthy();
  });

  test('shows no number without open changes', async () => {
    openPage('/settings', respond('/api/v1/open-incidents', { open: 0 }));
    const pages = await screen.findByRole('navigation', { name: 'Pages' });
    expect(await within(pages).findByRole('link', { name: 'Changes' })).toBeTruthy();
  });
});
