import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import { refuse, respond } from '@/testing/api';
import { commitOf, guardItem, guards, openGuardOf, services } from '@/testing/documents/guards';
import { openPage } from '@/testing/page';
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
    const history = {
      reference: { name: 'v1.4', commit: 'a'.repeat(40), title: 'Release' },
      host: 'bench-01',
      runtime: 'docker',
      points: [
        commitOf('Cache prices', 1.0),
        commitOf('Sort twice', 1.2, 'worse', 'k3v9q2mx4d'),
        commitOf('Sort once', 1.01, 'better'),
      ],
    };
    openPage(
      '/guards?service=shop',
      respond('/api/v1/guards/history', { items: [history], next: null }),
    );
    const table = await screen.findByRole('table', { name: 'History since v1.4' });
    const rows = within(table).getAllByRole('row').slice(1);
    expect(rows.map((row) => row.textContent)).toEqual([
      expect.stringMatching(/Sort once\+1.% better, not confirmed/),
      expect.stringMatching(/Sort twice\+20.% worse(?!, not)/),
      expect.stringMatching(/Cache prices\+0.%/),
    ]);
    const link = within(table).getByRole('link', { name: /Sort twice/ });
    expect(link.getAttribute('href')).toBe('/guards/sort-twice');
  });

  test('explains that a service has no guards', async () => {
    openPage('/guards?service=none', respond('/api/v1/guards', none));
    expect(await screen.findByText('No guard of this service')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'All services' })).toBeTruthy();
  });
});
