import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { refuse, respond } from '@/testing/api';
import { metrics } from '@/testing/documents/catalogue';
import { slos } from '@/testing/documents/plans';
import { changes } from '@/testing/documents/results';
import { openPage } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

const none = { items: [], next: null };

describe('the list of changes', () => {
  testWaitingAndErrors('/changes', '/api/v1/changes', changes, /Latency p50/);

  test('explains what detection needs', async () => {
    openPage('/changes', respond('/api/v1/changes', none));
    expect(await screen.findByText('No changes yet')).toBeTruthy();
    expect(await screen.findByText('No host events.')).toBeTruthy();
  });

  test('distinguishes a status without changes', async () => {
    openPage('/changes?status=dismissed', respond('/api/v1/changes', none));
    expect(await screen.findByText('No changes with this status')).toBeTruthy();
  });

  test('shows limits, or a note without limits', async () => {
    openPage('/changes');
    expect(await screen.findByText(/Latency p99 at most 5/)).toBeTruthy();
  });

  test('offers a limit of the first primary metric', async () => {
    const [first, ...rest] = metrics.items;
    const items = first ? [{ ...first, is_primary: false }, ...rest] : [];
    openPage('/changes', respond('/api/v1/metrics', { ...metrics, items }));
    expect(await screen.findByLabelText(/^At most, in ms/)).toBeTruthy();
    expect(screen.getByDisplayValue('Latency p50')).toBeTruthy();
  });

  test('explains that no limit is set', async () => {
    openPage('/changes', respond('/api/v1/slos', none));
    expect(await screen.findByText(/^No limits yet/)).toBeTruthy();
  });

  test('shows the changes although the limits cannot be loaded', async () => {
    openPage('/changes', refuse('/api/v1/slos', { status: 503, detail: 'No limits for now.' }));
    expect((await screen.findByRole('alert')).textContent).toContain('No limits for now.');
    expect((await screen.findAllByText(/Latency p50/)).length).toBeGreaterThan(0);
  });
});

describe('the limits', () => {
  testWaitingAndErrors('/changes', '/api/v1/slos', slos, /Latency p99 at most 5/);
});
