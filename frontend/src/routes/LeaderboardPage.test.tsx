import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test, vi } from 'vitest';
import { refuse, respond, stall } from '@/testing/api';
import { framework, frameworks } from '@/testing/documents/catalogue';
import { leaderboard } from '@/testing/documents/results';
import { openPage, see } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

describe('the leaderboard', () => {
  testWaitingAndErrors('/leaderboard', '/api/v1/leaderboard', leaderboard, 'Node.js');

  test('does not wait for what its filters offer', async () => {
    openPage('/leaderboard', stall('/api/v1/scenarios'), stall('/api/v1/metrics'));
    expect(await screen.findByRole('table')).toBeTruthy();
  });

  test('explains a catalogue without scenarios', async () => {
    openPage('/leaderboard', respond('/api/v1/scenarios', { items: [], next: null }));
    await see('Nothing to rank');
  });

  test('explains a scenario without results', async () => {
    const empty = { ...leaderboard, entries: [], apart: [], excluded: [] };
    openPage('/leaderboard', respond('/api/v1/leaderboard', empty));
    await see('No valid result for Hello on bench-01');
  });

  test('keeps the choices when the ranking cannot be loaded', async () => {
    openPage('/leaderboard', refuse('/api/v1/leaderboard', { status: 503, detail: 'Too busy.' }));
    expect((await screen.findByRole('alert')).textContent).toContain('Too busy.');
    expect(screen.getByRole('combobox', { name: 'Scenario' })).toBeTruthy();
  });

  test('links to the run of the frameworks without a result, under the same load', async () => {
    const vertx = { ...framework, slug: 'vertx', name: 'Vert.x', scenarios: ['hello'] };
    const other = { ...vertx, slug: 'chain-only', scenarios: ['chain'] };
    const items = [...frameworks.items, vertx, other];
    openPage('/leaderboard', respond('/api/v1/frameworks', { items, next: null }));
    const link = await screen.findByRole('link', { name: 'measure it' });
    expect(link.closest('p')?.textContent).toMatch(
      /^1\sframework is not measured here: measure it\.$/,
    );
    const search = new URLSearchParams(link.getAttribute('href')?.split('?')[1]);
    expect(search.get('cells')).toBe('hello.vertx');
    expect(search.get('set')).toContain('hello.rate_rps.1000');
    expect(search.get('host')).toBe('bench-01');
  });

  test('folds the filters into one button on a phone', async () => {
    const original = window.matchMedia.bind(window);
    const matchMedia = vi.spyOn(window, 'matchMedia').mockImplementation((query) => {
      const found = original(query);
      if (query.includes('max-width')) Object.defineProperty(found, 'matches', { value: true });
      return found;
    });
    openPage('/leaderboard');
    const fold = await screen.findByRole('button', { name: /Hello · bench-01 · 1\s000\sreq/ });
    expect(screen.queryByRole('combobox', { name: 'Scenario' })).toBeNull();
    await userEvent.click(fold);
    expect(screen.getByRole('combobox', { name: 'Scenario' })).toBeTruthy();
    matchMedia.mockRestore();
  });

  test('answers first, and lists the frameworks by rank, with value and ratio', async () => {
    openPage('/leaderboard');
    const answer = await screen.findByRole('region', { name: 'Answer' });
    expect(answer.textContent).toContain('Go net/http has the lowest CPU per request');
    expect(answer.textContent).toContain('Every result has a warning.');
    const table = screen.getByRole('table');
    const rows = within(table).getAllByRole('row').slice(1);
    const [best, next] = rows.map((row) => row.textContent.replaceAll(/[\u202f\u00a0]/g, ' '));
    expect(rows).toHaveLength(2);
    expect(best).toMatch(/^1.*Go net\/http.*35\.0 µs.*\[30, 41\]/);
    expect(next).toMatch(/^2.*Node\.js.*95\.0 µs.*2\.70×/);
  });
});
