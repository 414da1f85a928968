import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { schedule } from '@/testing/documents/plans';
import { openPage } from '@/testing/page';
import { testMissing, testWaitingAndErrors } from '@/testing/page-states';

describe('the page of a schedule', () => {
  const path = '/api/v1/schedules/{schedule_id}';
  const url = `/schedules/${schedule.id}`;
  testWaitingAndErrors(url, path, schedule, 'Nightly');
  testMissing(url, path, /There is no schedule/);

  test('shows names instead of slugs', async () => {
    openPage(url);
    expect(await screen.findByText('Node.js · Hello · rate, quick')).toBeTruthy();
  });

  test('shows the plan before the first scheduled run', async () => {
    openPage(url);
    expect(await screen.findByRole('heading', { level: 1, name: 'Nightly' })).toBeTruthy();
    expect(screen.getByText('None yet')).toBeTruthy();
  });
});
