import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import { refuse, respond } from '@/testing/api';
import { comparison } from '@/testing/documents/comparisons';
import { cells } from '@/testing/documents/trials';
import { drawCharts, openPage, press, see } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

const url = `/compare?cells=${comparison.cells.map(({ cell_id }) => cell_id).join(',')}`;

describe('the selection of results to compare', () => {
  testWaitingAndErrors('/compare', '/api/v1/cells', cells, 'Go net/http');

  test.each([
    ['/compare', 'No results yet'],
    ['/compare?framework=node', 'No matching results'],
  ])('explains why it is empty: %s', async (path, title) => {
    openPage(path, respond('/api/v1/cells', { items: [], next: null }));
    await see(title);
    expect(screen.getByText('0 results selected')).toBeTruthy();
  });

  test('distinguishes equal loads by value, run title and time', async () => {
    openPage('/compare');
    const [row] = await screen.findAllByRole('checkbox', { name: /Go net\/http/ });
    const text = row?.closest('li')?.textContent ?? '';
    expect(text).toMatch(/61\.2.µs/);
    expect(text).toContain('Node against Go');
    expect(text).toContain('23 Nov 2026');
  });

  test('searches by framework, run title or slug', async () => {
    const asked: string[] = [];
    openPage(
      '/compare?search=against',
      http.get('*/api/v1/cells', ({ request }) => {
        asked.push(new URL(request.url).searchParams.get('search') ?? '');
        return HttpResponse.json(cells);
      }),
    );
    expect(await screen.findByRole('searchbox', { name: 'Search' })).toHaveProperty(
      'value',
      'against',
    );
    await waitFor(() => expect(asked).toContain('against'));
  });

  test('compares as soon as two results are ticked', async () => {
    openPage('/compare');
    const [first, second] = await screen.findAllByRole('checkbox');
    if (first === undefined || second === undefined) throw new Error('There are no two results.');
    await userEvent.click(first);
    await see('1 result selected');
    expect(screen.getByRole('button', { name: 'Compare' })).toHaveProperty('disabled', true);
    await userEvent.click(second);
    await see('2 results selected');
    await press('Compare');
    await see(/are equivalent in CPU per request/);
  });
});

describe('a comparison', () => {
  testWaitingAndErrors(url, '/api/v1/comparisons', comparison, /are equivalent in CPU per request/);

  test('shows the results by the chosen metric, with the charts', async () => {
    openPage(`${url}&metric=latency_p50_ms`);
    await see(/has a lower latency p50/);
    await drawCharts();
    expect(screen.getByRole('table', { name: 'Results by Latency p50' })).toBeTruthy();
    expect(await screen.findByRole('figure', { name: 'Latency by percentile' })).toBeTruthy();
  });

  test('shows the reason of an exclusion once, in the head of the column', async () => {
    const [first, ...rest] = comparison.cells;
    if (first === undefined) throw new Error('The document has no result.');
    const verdict = {
      verdict: 'too_many_errors' as const,
      detail: '40 % of requests failed.',
      trials: 2,
      excludes_from_ranking: true,
    };
    const excluded = { ...first, excluded: true, verdicts: [verdict] };
    openPage(url, respond('/api/v1/comparisons', { ...comparison, cells: [excluded, ...rest] }));
    const table = await screen.findByRole('table', { name: 'All metrics' });
    expect(within(table).getAllByText(/excluded/)).toHaveLength(1);
    const head = within(table).getByRole('columnheader', { name: /Node\.js/ });
    expect(head.textContent).toContain('excluded: too many errors');
  });

  test('shows the results although the charts cannot be loaded', async () => {
    openPage(url, refuse('/api/v1/comparisons/charts', { status: 503, detail: 'No charts.' }));
    expect((await screen.findByRole('alert')).textContent).toContain('No charts.');
    const headline = screen.getByRole('heading', { level: 2, name: /are equivalent in CPU/ });
    expect(headline.textContent).toContain('Go net/http');
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
    await see(/Not comparable: .* New CPU instead of Old CPU/);
  });
});
