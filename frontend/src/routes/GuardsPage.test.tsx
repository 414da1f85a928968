import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import { refuse, respond } from '@/testing/api';
import { page } from '@/testing/documents/builders';
import {
  changeOf,
  commitOf,
  guardItem,
  guards,
  historyOf,
  openGuardOf,
  services,
  unknownOf,
} from '@/testing/documents/guards';
import { openPage, press, see } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

const none = { items: [], next: null };

describe('the own services', () => {
  testWaitingAndErrors('/guards', '/api/v1/guards/services', services, 'search');

  test('offers to sign in where guards need an account', async () => {
    openPage(
      '/guards',
      refuse('/api/v1/guards/services', { status: 401, title: 'No', detail: 'No.' }),
    );
    expect(await screen.findAllByText('Sign in to see this')).toHaveLength(1);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('explains how to start the first guard', async () => {
    openPage('/guards', respond('/api/v1/guards/services', none));
    expect(await screen.findByText('No guards yet')).toBeTruthy();
    expect(screen.getByText(/tacho guard --base origin\/main --publish/)).toBeTruthy();
    const link = screen.getByRole('link', { name: 'Guard your own service' });
    expect(link.getAttribute('href')).toBe('/docs/user-guide/own-service');
  });

  test('lists services with their newest verdict, and the newest guards', async () => {
    openPage('/guards');
    const section = await screen.findByRole('region', { name: 'Services' });
    const [search, shop] = within(section).getAllByRole('listitem');
    expect(search?.textContent).toMatch(/search.*1.guard.*no difference/);
    expect(shop?.textContent).toMatch(/shop.*2.guards.*slower/);
    const newest = await screen.findByRole('region', { name: 'Newest guards' });
    const link = await within(newest).findByRole('link', { name: /^Slower, confirmed/ });
    expect(link.getAttribute('href')).toBe('/guards/k3v9q2mx4d');
    expect(within(newest).getByText('shop, by ada@example.org')).toBeTruthy();
  });

  test('shows the guards that wait for a bench host or run there', async () => {
    const waiting = openGuardOf({
      id: 'b',
      service: 'search',
      status: 'queued',
      doing: '',
      waits_for: 'the host is busy',
    });
    openPage(
      '/guards',
      respond('/api/v1/guards/requests', { items: [openGuardOf(), waiting], next: null }),
    );
    const section = await screen.findByRole('region', { name: 'On bench hosts now' });
    expect(
      within(section)
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    ).toEqual([
      'shop, running on bench-01: checkout: pair 3 of at most 20, head; 2 of at most 15 min by ada@example.org',
      'search, queued on bench-01: the host is busy by ada@example.org',
    ]);
  });

  test('lists the guards of one service, page by page', async () => {
    const asked: string[] = [];
    openPage(
      '/guards?service=shop',
      http.get('*/api/v1/guards', ({ request }) => {
        const { searchParams } = new URL(request.url);
        asked.push(searchParams.toString());
        return HttpResponse.json(
          searchParams.has('cursor')
            ? { items: [guardItem({ slug: 'old', headline: 'Earlier' })], next: null }
            : { ...guards, next: 'more' },
        );
      }),
    );
    expect(await screen.findByRole('heading', { name: 'Guards of shop' })).toBeTruthy();
    expect(screen.queryByRole('heading', { name: 'Services' })).toBeNull();
    await userEvent.click(await screen.findByRole('button', { name: 'Show earlier guards' }));
    expect(await screen.findByRole('link', { name: 'Earlier' })).toBeTruthy();
    expect(asked).toEqual(['limit=20&service=shop', 'limit=20&service=shop&cursor=more']);
  });

  test('shows the history of a service, with steps and what confirms them', async () => {
    openPage('/guards?service=shop', respond('/api/v1/guards/history', page(historyOf())));
    const table = await screen.findByRole('table', { name: 'Commits since v1.4, checkout' });
    const rows = within(table).getAllByRole('row').slice(1);
    expect(rows.map((row) => row.textContent)).toEqual([
      expect.stringMatching(/^Sort once.*\+1.%betternot confirmed$/),
      expect.stringMatching(/^Sort twice.*\+20.%worseconfirmed$/),
      expect.stringMatching(/^Cache prices.*\+0.%$/),
    ]);
    const commit = within(table).getByRole('link', { name: 'Sort twice' });
    expect(commit.getAttribute('href')).toBe('/guards/sort-twice');
    const confirmation = within(table).getByRole('link', { name: 'confirmed' });
    expect(confirmation.getAttribute('href')).toBe('/guards/k3v9q2mx4d');
    await see(/\+5 % is 5 % more than in v1\.4\. Lower is better\./);
  });

  test('shows the range of a change that is not decided, and metrics of scripts', async () => {
    const wait = unknownOf({ metric: 'script:wait.p95' });
    const orders = changeOf({ metric: 'script:orders', less_is_worse: true });
    const changes = [wait, orders].map((change) => ({
      load: 'checkout',
      change,
      step: null,
      confirmed_by: null,
    }));
    const point = { ...commitOf('Cache prices', 1), changes };
    openPage(
      '/guards?service=shop',
      respond('/api/v1/guards/history', page(historyOf({ points: [point] }))),
    );
    const table = await screen.findByRole('table', { name: /^Commits since/ });
    const [head, row] = within(table).getAllByRole('row');
    expect(head?.textContent).toBe('Commitwait p95orders');
    expect(row?.textContent).toMatch(/\[−1\.8, \+6\.1\]orders\+7\.9.%$/);
    await see(/Lower is better, except for orders\./);
  });

  test('folds the histories of other references, and shows many commits on demand', async () => {
    const points = Array.from({ length: 22 }, (_, index) => commitOf(`Commit ${index}`, 1));
    const earlier = historyOf({ reference: { name: 'v1.3', commit: 'b'.repeat(40), title: '' } });
    openPage(
      '/guards?service=shop',
      respond('/api/v1/guards/history', page(historyOf({ points }), earlier)),
    );
    const table = await screen.findByRole('table', { name: 'Commits since v1.4, checkout' });
    expect(within(table).getAllByRole('row')).toHaveLength(21);
    await press('Show all 22 commits');
    expect(within(table).getAllByRole('row')).toHaveLength(23);
    expect(screen.queryByRole('table', { name: /^Commits since v1\.3/ })).toBeNull();
    await userEvent.click(screen.getByText('History since v1.3'));
    expect(await screen.findByRole('table', { name: /^Commits since v1\.3/ })).toBeTruthy();
  });

  test('shows no history of a service that has none', async () => {
    openPage('/guards?service=shop');
    expect(await screen.findByRole('heading', { name: 'Guards of shop' })).toBeTruthy();
    expect(screen.queryByText(/History since/)).toBeNull();
  });

  test('explains that a service has no guards', async () => {
    openPage('/guards?service=none', respond('/api/v1/guards', none));
    expect(await screen.findByText('No guard of this service')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'All services' })).toBeTruthy();
  });
});
