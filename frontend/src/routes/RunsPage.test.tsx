import { screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import { refuse, respond } from '@/testing/api';
import { item, runs } from '@/testing/documents/runs';
import { visitor } from '@/testing/documents/sessions';
import { openPage, press, see } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

const path = '/api/v1/runs';
const none = { items: [], next: null };

/** Responds to the list with pages, by their cursors, and records the queries. */
function onList(pages: Record<string, typeof runs>) {
  const queries: Record<string, string>[] = [];
  const handler = http.get(`*${path}`, ({ request }) => {
    const query = Object.fromEntries(new URL(request.url).searchParams);
    // The palette reads the newest 100 runs.
    if (query.limit === '20') queries.push(query);
    return HttpResponse.json(pages[query.cursor ?? ''] ?? none);
  });
  return { queries, handler };
}

async function choose(label: string, option: string) {
  await press(label, 'combobox');
  await press(option, 'option');
}

/** Return what a filter shows. */
function chosen(label: string): string {
  return screen.getByRole<HTMLInputElement>('combobox', { name: label }).value;
}

describe('the page of all runs', () => {
  testWaitingAndErrors('/runs', path, runs, 'Node against Go');

  test('applies all filters of the URL', async () => {
    const list = onList({ '': runs });
    openPage(
      '/runs?framework=node&scenario=hello&host=bench-01&requested_by=ann@example.org' +
        '&status=failed&outcome=usable&since=2026-11-02&until=2026-11-03&sort=longest&evil=1',
      list.handler,
    );
    expect(await screen.findByRole('link', { name: 'Node against Go' })).toBeTruthy();
    const { since, until, ...rest } = list.queries[0] ?? {};
    expect(rest).toEqual({
      framework: 'node',
      scenario: 'hello',
      host: 'bench-01',
      requested_by: 'ann@example.org',
      status: 'failed',
      outcome: 'usable',
      sort: 'longest',
      limit: '20',
    });
    // Both days belong to the period.
    expect(Date.parse(until ?? '') - Date.parse(since ?? '')).toBe(2 * 24 * 3600 * 1000);
    expect([chosen('Requested by'), chosen('Order')]).toEqual(['ann@example.org', 'Longest first']);
  });

  test('filters and sorts what is chosen, from the first page on', async () => {
    const list = onList({ '': runs, later: runs });
    openPage('/runs?cursor=later', list.handler);
    await choose('Host', 'bench-01');
    await choose('Outcome', 'not usable');
    await choose('Order', 'Oldest first');
    expect(await screen.findByRole('link', { name: 'Node against Go' })).toBeTruthy();
    expect(list.queries.at(0)).toEqual({ cursor: 'later', limit: '20' });
    expect(list.queries.at(-1)).toEqual({
      host: 'bench-01',
      outcome: 'not_usable',
      sort: 'oldest',
      limit: '20',
    });
  });

  test('leads to the next page and back to the first', async () => {
    const list = onList({
      '': { items: [{ ...item, title: 'First' }], next: 'second' },
      second: { items: [{ ...item, title: 'Second' }], next: null },
    });
    openPage('/runs?host=bench-01', list.handler);
    expect(await screen.findByRole('link', { name: 'First' })).toBeTruthy();
    expect(screen.queryByRole('link', { name: 'First page' })).toBeNull();
    await press('Next page', 'link');
    expect(await screen.findByRole('link', { name: 'Second' })).toBeTruthy();
    expect(screen.queryByRole('link', { name: 'Next page' })).toBeNull();
    await press('First page', 'link');
    expect(await screen.findByRole('link', { name: 'First' })).toBeTruthy();
    expect(list.queries.every(({ host }) => host === 'bench-01')).toBe(true);
  });

  test('leads from a run to the runs of its host and of its requester', async () => {
    const mine = { ...item, requested_by: 'CI token' };
    const list = onList({ '': { items: [mine], next: null } });
    openPage('/runs?status=succeeded', list.handler);
    await press('CI token', 'link');
    await waitFor(() => expect(chosen('Requested by')).toBe('CI token'));
    await press('bench-01', 'link');
    await waitFor(() => expect(chosen('Host')).toBe('bench-01'));
    expect(list.queries.at(-1)).toEqual({
      status: 'succeeded',
      host: 'bench-01',
      requested_by: 'CI token',
      limit: '20',
    });
  });

  test('shows visitors no filter by person', async () => {
    openPage('/runs', respond('/api/v1/session', visitor));
    expect(await screen.findByRole('link', { name: 'Node against Go' })).toBeTruthy();
    expect(screen.queryByRole('combobox', { name: 'Requested by' })).toBeNull();
  });

  test('suggests a run if there is none yet', async () => {
    openPage('/runs', respond(path, none));
    await see('No runs yet');
    expect(screen.getByRole('link', { name: 'Plan a run' })).toBeTruthy();
  });

  test('clears filters that no run matches, and keeps the order', async () => {
    const list = onList({ '': none });
    openPage('/runs?host=bench-01&sort=title', list.handler);
    await see('No run matches');
    await press('Clear filters', 'link');
    await see('No runs yet');
    expect(list.queries.at(-1)).toEqual({ sort: 'title', limit: '20' });
  });

  test('shows why a filter is refused, and still offers the filters', async () => {
    const detail = "host: There is no host 'gone'.";
    openPage('/runs?host=gone', refuse(path, { status: 422, title: 'Invalid request', detail }));
    await see(detail);
    expect(chosen('Host')).toBe('gone');
    expect(screen.getByRole('link', { name: 'Clear filters' })).toBeTruthy();
  });
});
