import { screen, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { respond } from '@/testing/api';
import { health, installationState } from '@/testing/documents/hosts';
import { operator } from '@/testing/documents/sessions';
import { openPage, see } from '@/testing/page';

const URL = '/operator/state';
const OPERATOR = respond('/api/v1/session', operator());

describe('the state of the installation', () => {
  test('begins with what is wrong and what to do, the most severe first', async () => {
    openPage(URL, OPERATOR);
    const list = await screen.findByRole('list', { name: 'What to do' });
    const items = within(list).getAllByRole('listitem');
    expect(items.map((item) => item.textContent)).toEqual([
      expect.stringMatching(/^critical.*nearly full\. Free some space there\./),
      expect.stringMatching(/^warning.*bench-02 is offline\. Start the worker/),
    ]);
    const link = within(list).getByRole('link', { name: 'About this host' });
    expect(link.getAttribute('href')).toBe('/hosts/bench-02');
  });

  test('shows parts, hosts, disks and faults', async () => {
    openPage(URL, OPERATOR);
    const parts = await screen.findByRole('table', { name: 'Parts' });
    expect(parts.textContent).toContain('keeps stopping');
    const hosts = screen.getByRole('table', { name: 'Hosts and queue' });
    expect(hosts.textContent).toMatch(/offline.*5\smin ago.*0\.0\.9.*12.*2\sh/);
    const disks = screen.getByRole('table', { name: 'Disks' });
    const [, ofApi, ofHost] = within(disks).getAllByRole('row');
    expect(ofApi?.textContent).toMatch(/database.*API.*1\sGiB \(1\s%\).*100\sGiB.*2\sGiB/);
    expect(ofHost?.textContent).toMatch(/engine.*bench-02.*25\sGiB \(50\s%\).*50\sGiB.*3\sGiB/);
    const faults = screen.getByRole('table', { name: 'Recent faults' });
    expect(faults.textContent).toContain('load generator');
    expect(faults.textContent).toContain('Look for the out-of-memory killer');
  });

  test.each([
    [{ is_online: true, is_outdated: true, lacks_disk: true }, 'outdated'],
    [{ is_online: true, lacks_disk: true }, 'low disk'],
    [{ is_online: true }, 'ready'],
    [{ is_online: false, is_outdated: true }, 'offline'],
    [{ is_paused: true, is_outdated: true }, 'paused'],
  ])('shows the state of a host: %o is %s', async (state, shown) => {
    const hosts = installationState.hosts.map((host) => ({ ...host, ...state }));
    openPage(URL, OPERATOR, respond('/api/v1/installation', { ...installationState, hosts }));
    const table = await screen.findByRole('table', { name: 'Hosts and queue' });
    expect(within(table).getByText(shown)).toBeTruthy();
  });

  test('shows that nothing is wrong', async () => {
    const well = { ...installationState, findings: [], faults: [], parts: [] };
    openPage(URL, OPERATOR, respond('/api/v1/installation', well));
    await see('Nothing to do');
    expect(screen.getByText('No faults')).toBeTruthy();
    expect(screen.getByText(/Docker, restarts the parts/)).toBeTruthy();
  });

  test('shows which server does not answer, and how to make backups if there are none', async () => {
    const down = {
      ...installationState,
      broker: 'down' as const,
      versions: { ...installationState.versions, redis: null },
    };
    openPage(URL, OPERATOR, respond('/api/v1/installation', down));
    await see('does not answer');
    await see(/Set TACHO_BACKUP_FOLDER/);
  });

  test('shows when the last and the next backup are made', async () => {
    const backup = {
      succeeded_at: '2026-11-25T03:00:00Z',
      failed_at: null,
      error: null,
      next_at: '2026-11-26T03:00:00Z',
      is_overdue: false,
    };
    openPage(URL, OPERATOR, respond('/api/v1/health', { ...health, backup }));
    await see('Last backup');
    expect(screen.getByText('Next backup').nextSibling?.textContent).toMatch(/^26 Nov 2026/);
  });
});
