import { screen, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { respond } from '@/testing/api';
import { health } from '@/testing/documents/hosts';
import { queue } from '@/testing/documents/queue';
import { openPage, press, see } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

describe('the queue', () => {
  const path = '/api/v1/queue';
  testWaitingAndErrors('/queue', path, queue, 'bench-01');

  test('shows what each host measures, what waits, for how long, and the requester', async () => {
    openPage('/queue');
    const table = await screen.findByRole('table', { name: 'Queue of bench-01' });
    const [, measured, waiting] = within(table).getAllByRole('row');
    expect(measured?.textContent).toContain('Measured now');
    expect(measured?.textContent).toContain('ann@example.org');
    expect(measured?.textContent).toContain('ends');
    expect(waiting?.textContent).toContain('Waits behind it');
    expect(waiting?.textContent).toContain('1\u202fh 2\u202fmin');
    expect(waiting?.textContent).toContain('starts');
    expect(screen.getByText('busy · 1 run waiting')).toBeTruthy();
    expect(screen.getByText('Nothing waits')).toBeTruthy();
  });

  test('offers to cancel runs of the own workspace', async () => {
    openPage('/queue');
    await press('Cancel Measured now…');
    expect(await screen.findByRole('dialog', { name: 'Cancel this run?' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Cancel Waits behind it…' })).toBeNull();
  });

  test('explains a host that takes no trials', async () => {
    const hosts = queue.hosts.map((host) => ({
      ...host,
      state: 'paused' as const,
      runs: host.runs.map((item) => ({
        ...item,
        expected_start_at: null,
        expected_end_at: null,
      })),
    }));
    openPage('/queue', respond(path, { ...queue, hosts }));
    expect(await screen.findAllByText('when the host takes trials')).toHaveLength(2);
    expect(screen.getByText(/waits until the host takes trials again/)).toBeTruthy();
  });

  test('explains a host that leaves', async () => {
    const hosts = queue.hosts.map((host) => ({
      ...host,
      state: 'leaving' as const,
      is_usable: false,
    }));
    openPage('/queue', respond(path, { ...queue, hosts }));
    expect(await screen.findAllByText(/Then its runs that have not ended/)).toHaveLength(2);
    expect(screen.getByText('leaving · 1 run waiting')).toBeTruthy();
    expect(screen.getByText('It takes no new runs.')).toBeTruthy();
    expect(screen.queryByText('Expected')).toBeNull();
  });

  test('explains a host whose disk is almost full, and that more runs wait than are listed', async () => {
    const disk_shortage = 'Only 1.2 GiB are free on the disk of the data folder.';
    const hosts = queue.hosts.map((host) => ({
      ...host,
      state: 'low_disk' as const,
      disk_shortage,
    }));
    openPage('/queue', respond(path, { ...queue, hosts, is_complete: false }));
    await see('More runs wait.');
    expect(await screen.findAllByText(/Only 1\.2 GiB are free/)).toHaveLength(hosts.length);
    expect(screen.getAllByText(/^low disk ·/)).toHaveLength(hosts.length);
  });

  test('explains why no new runs are accepted', async () => {
    const database_disk_shortage = 'Only 0.5 GiB are free on the disk of the database.';
    openPage('/queue', respond('/api/v1/health', { ...health, database_disk_shortage }));
    await see(/No new runs are accepted/);
    expect(screen.getByText(/Only 0\.5 GiB are free/)).toBeTruthy();
  });

  test('explains an installation without a bench host', async () => {
    openPage('/queue', respond(path, { hosts: [], is_complete: true }));
    await see('No bench host yet');
  });
});
