import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { respond } from '@/testing/api';
import { schedule, schedules } from '@/testing/documents/plans';
import { openPage, see } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

describe('the list of schedules', () => {
  const path = '/api/v1/schedules';
  testWaitingAndErrors('/schedules', path, schedules, 'Nightly');

  test('explains how to add the first schedule', async () => {
    openPage('/schedules', respond(path, { items: [], next: null }));
    await see('No schedules yet');
    expect(screen.getByRole('link', { name: 'New schedule' }).getAttribute('href')).toBe(
      '/runs/new',
    );
  });

  test('shows when each schedule runs', async () => {
    openPage('/schedules');
    expect(await screen.findByRole('link', { name: 'Nightly' })).toBeTruthy();
    expect(screen.getByText('At 02:00 every day')).toBeTruthy();
    expect(screen.getByText('no result yet')).toBeTruthy();
  });

  test('marks paused schedules', async () => {
    const paused = { ...schedule, enabled: false, next_times: [] };
    openPage('/schedules', respond(path, { items: [paused], next: null }));
    expect((await screen.findAllByText(/paused/)).length).toBeGreaterThan(0);
  });
});
