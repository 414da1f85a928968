import { screen, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { schedule } from '@/testing/documents/plans';
import { respond } from '@/testing/api';
import { openPage, see } from '@/testing/page';
import { testMissing, testWaitingAndErrors } from '@/testing/page-states';

describe('the page of a schedule', () => {
  const path = '/api/v1/schedules/{schedule_id}';
  const url = `/schedules/${schedule.id}`;
  testWaitingAndErrors(url, path, schedule, 'Nightly');
  testMissing(url, path, /There is no schedule/);

  test('shows what each run found instead of its slug, and no column without reasons', async () => {
    const started = {
      due_at: '2026-11-24T02:00:00Z',
      host: 'bench-01',
      status: 'arrived' as const,
      reason: null,
      detail: '',
      skipped: 0,
      expected_by: null,
      run_slug: 'abc1234567',
      run_status: 'succeeded' as const,
      run_summary: 'Node.js needs the least CPU per request; next: Go 2.15×',
    };
    const runs = [started, { ...started, due_at: '2026-11-23T02:00:00Z', run_summary: null }];
    openPage(url, respond(path, { ...schedule, scheduled_runs: runs }));
    const table = within(await screen.findByRole('table', { name: 'Scheduled runs' }));
    const link = table.getByRole('link', { name: /^Node.js needs the least CPU per request/ });
    expect(link.getAttribute('href')).toBe('/r/abc1234567');
    expect(link.textContent).toContain('Go\u00a02.15×');
    expect(table.getByRole('link', { name: 'Run abc1234567, succeeded' })).toBeTruthy();
    expect(table.queryByRole('columnheader', { name: 'Reason' })).toBeNull();
  });

  test('shows the plan in names and its history before the first scheduled run', async () => {
    openPage(url);
    expect(await screen.findByRole('heading', { level: 1, name: 'Nightly' })).toBeTruthy();
    expect(screen.getByText('None yet')).toBeTruthy();
    await see('Node.js · Hello · rate, quick');
    const link = screen.getByRole('link', { name: 'History of its results' });
    expect(link.getAttribute('href')).toBe('/history?scenario=hello&framework=node');
  });
});
