import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { refuse, respond, stall } from '@/testing/api';
import { history } from '@/testing/documents/results';
import { drawCharts, openPage } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

describe('the history', () => {
  const url = '/history?framework=node&scenario=hello';
  testWaitingAndErrors(url, '/api/v1/history', history, 'Level shifts');

  test('does not wait for what its filters offer', async () => {
    openPage(url, stall('/api/v1/frameworks'), stall('/api/v1/scenarios'));
    expect(await screen.findByText('Level shifts')).toBeTruthy();
  });

  test('explains that an empty catalogue has no history', async () => {
    const none = { items: [], next: null };
    openPage(
      '/history',
      respond('/api/v1/frameworks', none),
      respond('/api/v1/scenarios', none),
      respond('/api/v1/cells', none),
    );
    expect(await screen.findByText('No history yet')).toBeTruthy();
  });

  test('shows the series of the newest result if none is chosen', async () => {
    openPage('/history');
    expect(await screen.findByRole('heading', { name: 'Level shifts' })).toBeTruthy();
    expect(await screen.findAllByText(/the detector found 38 of 40 simulated shifts/)).toHaveLength(
      history.series.length,
    );
  });

  test('answers first, and shows the limits, the detector and the other loads', async () => {
    openPage(url);
    const answer = await screen.findByRole('list', { name: 'Answer' });
    expect(answer.textContent).toContain('Node.js has been slower since 28 Nov 2026');
    expect(answer.textContent).toContain('1.08× [1.06, 1.11] of the level before');
    const limits = await screen.findByRole('list', { name: 'Limits' });
    const [limit, ...others] = within(limits).getAllByRole('listitem');
    expect(limit?.textContent).toMatch(
      /req\/s.*: Beyond the limit of at most 10.5 ms since 30 Nov/,
    );
    expect(others).toEqual([]);
    expect(within(limits).getByRole('link').getAttribute('href')).toBe('/limits');
    expect(await screen.findByText(/p ≤ 10⁻⁴/)).toBeTruthy();
    expect(screen.queryByText(/ms for/)).toBeNull();
    await userEvent.click(screen.getByRole('combobox', { name: 'Load' }));
    expect(await screen.findByRole('option', { name: /^500.req.*30.results/ })).toBeTruthy();
    expect(screen.getByRole('option', { name: /^100.req.*1.result\)/ })).toBeTruthy();
    expect(screen.getByRole('option', { name: 'All loads' })).toBeTruthy();
  });

  test('places runs by time or one after the other', async () => {
    openPage(`${url}&axis=run`);
    const axis = await screen.findByRole('radiogroup', { name: 'Axis' });
    expect(within(axis).getByRole('radio', { name: 'Run by run' })).toHaveProperty('checked', true);
    await userEvent.click(within(axis).getByRole('radio', { name: 'By time' }));
    expect(within(axis).getByRole('radio', { name: 'By time' })).toHaveProperty('checked', true);
  });

  test('explains a metric without results', async () => {
    openPage(url, respond('/api/v1/history', { ...history, series: [] }));
    expect(await screen.findByText('No data for this metric yet')).toBeTruthy();
  });

  test('shows its points although the sensitivity cannot be computed', async () => {
    openPage(url, refuse('/api/v1/history/changes', { status: 503 }));
    expect(await screen.findByRole('heading', { name: 'Runs' })).toBeTruthy();
    await drawCharts();
    expect(screen.getByRole('figure', { name: /on Hello/ })).toBeTruthy();
  });
});
