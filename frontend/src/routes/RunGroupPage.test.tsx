import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { onChange, respond } from '@/testing/api';
import { runGroup } from '@/testing/documents/queue';
import { openPage } from '@/testing/page';
import { testMissing, testWaitingAndErrors } from '@/testing/page-states';

describe('the page of a group of runs', () => {
  const path = '/api/v1/run-groups/{group}';
  const url = '/g/w7f4c2kx9p';
  testWaitingAndErrors(url, path, runGroup, 'Answer per host');
  testMissing(url, path, /There is no run group w7f4c2kx9p/);

  test('shows the answer of each host, and the results side by side', async () => {
    openPage(url);
    const link = await screen.findByRole('link', { name: 'bench-01' });
    expect(link.getAttribute('href')).toBe('/r/r2222222r2');
    expect(screen.getByText('Node.js needs the least CPU per request')).toBeTruthy();
    expect(screen.getByRole('progressbar', { name: 'bench-02: progress' })).toBeTruthy();
    const table = screen.getByRole('table', { name: 'Results by host' });
    const [head, row] = within(table).getAllByRole('row');
    expect(head?.textContent).toContain('bench-01bench-02');
    expect(row?.textContent).toContain('1.25');
    expect(row?.textContent).toContain('no result yet');
    expect(within(table).queryByText('Compare hosts')).toBeNull();
  });

  test('cancels all runs after a question, in ten seconds', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime.bind(vi) });
    const cancel = onChange('post', '/api/v1/run-groups/{group}/cancel', runGroup);
    openPage(url, cancel.handler);
    await user.click(await screen.findByRole('button', { name: 'Cancel all…' }));
    await user.click(await screen.findByRole('button', { name: 'Cancel all runs' }));
    expect(await screen.findByRole('button', { name: 'Undo' })).toBeTruthy();
    expect(cancel.bodies).toEqual([]);
    await vi.advanceTimersByTimeAsync(10_500);
    await waitFor(() => expect(cancel.bodies).toHaveLength(1));
  });

  test('offers no cancelling to visitors who may not cancel', async () => {
    openPage(url, respond(path, { ...runGroup, may_cancel: false }));
    await screen.findByRole('link', { name: 'bench-01' });
    expect(screen.queryByRole('button', { name: 'Cancel all…' })).toBeNull();
  });

  test('compares the hosts of a result that both have measured', async () => {
    const [row] = runGroup.rows;
    if (row === undefined) throw new Error('The document has no row.');
    const summary = row.results[0]?.summary ?? null;
    const results = row.results.map((result) => ({ ...result, summary }));
    const runs = runGroup.runs.map((run) => ({ ...run, status: 'succeeded' as const }));
    openPage(url, respond(path, { ...runGroup, runs, rows: [{ ...row, results }] }));
    const link = await screen.findByRole('link', { name: 'Compare hosts' });
    expect(link.getAttribute('href')).toContain(row.results.map(({ cell_id: id }) => id).join());
  });
});
