import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { refuse, respond } from '@/testing/api';
import { comparison } from '@/testing/documents/comparisons';
import { cells } from '@/testing/documents/trials';
import { openPage } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

const url = `/compare?cells=${comparison.cells.map(({ cell_id }) => cell_id).join(',')}`;

describe('the selection of results to compare', () => {
  testWaitingAndErrors('/compare', '/api/v1/cells', cells, 'Go net/http');

  test('explains that no result matches', async () => {
    openPage('/compare', respond('/api/v1/cells', { items: [], next: null }));
    expect(await screen.findByText('No matching results')).toBeTruthy();
    expect(screen.getByText('0 results selected')).toBeTruthy();
  });

  test('compares as soon as two results are ticked', async () => {
    openPage('/compare');
    const [first, second] = await screen.findAllByRole('checkbox');
    if (first === undefined || second === undefined) throw new Error('There are no two results.');
    await userEvent.click(first);
    expect(await screen.findByText('1 result selected')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Compare' })).toHaveProperty('disabled', true);
    await userEvent.click(second);
    expect(await screen.findByText('2 results selected')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Compare' }));
    expect(await screen.findByText(/are equivalent in CPU per request/)).toBeTruthy();
  });
});

describe('a comparison', () => {
  testWaitingAndErrors(url, '/api/v1/comparisons', comparison, /are equivalent in CPU per request/);

  test('shows the results by the chosen metric, with the charts', async () => {
    openPage(`${url}&metric=latency_p50_ms`);
    expect(await screen.findByText(/has a lower latency p50/)).toBeTruthy();
    expect(screen.getByRole('table', { name: 'Results by Latency p50' })).toBeTruthy();
    expect(await screen.findByRole('figure', { name: 'Latency by percentile' })).toBeTruthy();
  });

  test('shows the results although the charts cannot be loaded', async () => {
    openPage(url, refuse('/api/v1/comparisons/charts', { status: 503, detail: 'No charts.' }));
    expect((await screen.findByRole('alert')).textContent).toContain('No charts.');
    expect(screen.getByText(/are equivalent in CPU per request/)).toBeTruthy();
  });

  test('explains why a result is not comparable', async () => {
    const [pair] = comparison.pairs;
    if (pair === undefined) throw new Error('The document has no pair.');
    const differences = [{ subject: 'host.cpu_model', baseline: 'Old CPU', other: 'New CPU' }];
    openPage(
      url,
      respond('/api/v1/comparisons', {
        ...comparison,
        sentences: {},
        pairs: [{ ...pair, comparability: 'incomparable', differences, ratios: {} }],
      }),
    );
    expect(await screen.findByText(/Not comparable: .* New CPU instead of Old CPU/)).toBeTruthy();
  });
});
