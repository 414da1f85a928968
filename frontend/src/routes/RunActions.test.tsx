import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { onChange, respond } from '@/testing/api';
import { pendingAnswer } from '@/testing/documents/answers';
import { liveRun, run } from '@/testing/documents/runs';
import { localOwner, visitor } from '@/testing/documents/sessions';
import { openPage, press, see } from '@/testing/page';

const path = '/api/v1/runs/{run_id}';

describe('the actions of a run', () => {
  const menu = { name: 'Export, reproduce, compare' };

  test('are all there for members of its workspace', async () => {
    openPage(`/runs/${run.slug}?metric=cpu_us_per_request`);
    await userEvent.click(await screen.findByRole('button', menu));
    expect(await screen.findByRole('menuitem', { name: 'Archive run…' })).toBeTruthy();
    for (const name of ['Delete run…', 'CSV: one row per trial', 'Compare with others']) {
      expect(screen.getByRole('menuitem', { name })).toBeTruthy();
    }
    await press('Reproduce', 'menuitem');
    expect(await screen.findByRole('button', { name: 'Run again on bench-01' })).toBeTruthy();
    await userEvent.keyboard('{Escape}');
    await press('Share');
    expect(await screen.findByRole('radiogroup', { name: 'Visibility' })).toBeTruthy();
    // The earlier address leads here, with what was selected.
    expect(screen.getByRole('table', { name: 'Results by CPU per request' })).toBeTruthy();
  });

  test.each([
    ['visitors', visitor],
    ['members of other workspaces', localOwner],
  ])('do not change the run for %s', async (_, session) => {
    openPage(
      `/r/${run.slug}`,
      respond('/api/v1/session', session),
      respond(path, { ...run, is_own: false }),
    );
    await userEvent.click(await screen.findByRole('button', menu));
    expect(await screen.findByRole('menuitem', { name: 'Reproduce' })).toBeTruthy();
    expect(screen.queryByRole('menuitem', { name: /Archive|Delete/ })).toBeNull();
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', menu)));
    await press('Share');
    await see('Permalink');
    expect(screen.queryByRole('radiogroup', { name: 'Visibility' })).toBeNull();
  });

  test.each([
    ['visitors', visitor],
    ['members of other workspaces', localOwner],
  ])('do not cancel the run for %s', async (_, session) => {
    openPage(
      `/r/${liveRun.slug}`,
      respond('/api/v1/session', session),
      respond(path, { ...liveRun, is_own: false }),
      respond('/api/v1/runs/{run_id}/answer', pendingAnswer),
    );
    expect(await screen.findByRole('button', { name: 'Share' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: /Cancel/ })).toBeNull();
  });
});

describe('cancelling a run', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Confirm the cancellation of a live run, and return the requests so far. */
  async function confirm(status = 200) {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime.bind(vi) });
    const problem = { status, title: 'Conflict', detail: 'The run has ended.' };
    const cancel = onChange(
      'post',
      '/api/v1/runs/{run_id}/cancel',
      status === 200 ? liveRun : problem,
      status,
    );
    openPage(
      `/r/${liveRun.slug}`,
      respond(path, liveRun),
      respond('/api/v1/runs/{run_id}/answer', pendingAnswer),
      cancel.handler,
    );
    await user.click(await screen.findByRole('button', { name: 'Cancel run…' }));
    await user.click(await screen.findByRole('button', { name: 'Cancel run' }));
    await see(/Cancelling/);
    return { user, cancel };
  }

  test('happens ten seconds after it was confirmed, on any page', async () => {
    const { user, cancel } = await confirm();
    expect(screen.getByRole('button', { name: 'Cancel run…' })).toHaveProperty('disabled', true);
    await user.click(screen.getByRole('link', { name: 'History' }));
    await vi.advanceTimersByTimeAsync(8_000);
    expect(cancel.bodies).toHaveLength(0);
    expect(screen.getByRole('button', { name: 'Undo' })).toBeTruthy();
    await vi.advanceTimersByTimeAsync(2_500);
    await waitFor(() => expect(cancel.bodies).toHaveLength(1));
    await waitFor(() => expect(screen.queryByText(/Cancelling/)).toBeNull());
  });

  test('does not happen if it is undone', async () => {
    const { user, cancel } = await confirm();
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(cancel.bodies).toHaveLength(0);
    expect(screen.getByRole('button', { name: 'Cancel run…' })).toHaveProperty('disabled', false);
  });

  test('warns before the tab is closed, which would forget it', async () => {
    const { user } = await confirm();
    const closes = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
    expect(closes()).toBe(false);
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    expect(closes()).toBe(true);
  });

  test('shows why it was refused', async () => {
    const { user } = await confirm(409);
    await vi.advanceTimersByTimeAsync(10_500);
    await see(/was not cancelled: The run has ended\./);
    await user.click(screen.getByRole('button', { name: 'Close' }));
    expect(screen.queryByText(/was not cancelled/)).toBeNull();
  });
});
