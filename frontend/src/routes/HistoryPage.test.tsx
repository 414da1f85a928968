import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { refuse, respond } from '@/testing/api';
import { history } from '@/testing/documents/results';
import { openPage } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

describe('the history', () => {
  const url = '/history?framework=node&scenario=hello';
  testWaitingAndErrors(url, '/api/v1/history', history, 'Level shifts');

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

  test('explains a metric without results', async () => {
    openPage(url, respond('/api/v1/history', { ...history, series: [] }));
    expect(await screen.findByText('No data for this metric yet')).toBeTruthy();
  });

  test('shows its points although the sensitivity cannot be computed', async () => {
    openPage(url, refuse('/api/v1/history/changes', { status: 503 }));
    expect(await screen.findByRole('heading', { name: 'Runs' })).toBeTruthy();
    expect(screen.getByRole('figure', { name: /on Hello/ })).toBeTruthy();
  });
});
