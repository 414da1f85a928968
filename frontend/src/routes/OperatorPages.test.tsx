import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { RequestHandler } from 'msw';
import { describe, expect, test } from 'vitest';
import { onChange, respond } from '@/testing/api';
import { page } from '@/testing/documents/builders';
import { health, host } from '@/testing/documents/hosts';
import { operator, signedInAs } from '@/testing/documents/sessions';
import { users, workspaces } from '@/testing/documents/teams';
import { openPage, press, see } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

const OPERATOR = respond('/api/v1/session', operator());

/** Opens the page of hosts with one host. */
function openHosts(part: Partial<typeof host>, ...handlers: RequestHandler[]) {
  const listed = respond('/api/v1/hosts', page({ ...host, ...part }));
  openPage('/operator/hosts', OPERATOR, listed, ...handlers);
}

describe('the users', () => {
  testWaitingAndErrors('/operator', '/api/v1/users', users, 'bo@example.org');

  test('get a link for a new password, which is shown once', async () => {
    const url = 'https://tacho.example/join#reset';
    const link = { url, expires_at: '2026-11-24T08:00:00Z' };
    const reset = onChange('post', '/api/v1/users/{user_id}/password-reset', link, 201);
    openPage('/operator', OPERATOR, reset.handler);
    const name = 'Reset the password of Bo Diaz…';
    await press(name);
    await press('Create link');
    await see(url);
    await press('Done');
    expect(screen.queryByText(url)).toBeNull();
  });

  test('keep the last operator', async () => {
    const detail = 'Ada Lovelace is the last operator.';
    const change = onChange('patch', '/api/v1/users/{user_id}', { detail }, 409);
    openPage('/operator', OPERATOR, change.handler);
    const name = 'Ada Lovelace is an operator';
    await press(name, 'switch');
    await see(detail);
    expect(change.bodies).toEqual([{ is_operator: false }]);
  });
});

describe('the workspaces', () => {
  test('are created by name', async () => {
    const create = onChange('post', '/api/v1/workspaces', workspaces.items[1] ?? null, 201);
    openPage('/operator/workspaces', OPERATOR, create.handler);
    await press('New workspace');
    await userEvent.type(screen.getByLabelText(/^Name/), 'Payments');
    await press('Create workspace');
    await expect.poll(() => create.bodies).toEqual([{ name: 'Payments' }]);
  });

  test('get limits of their own, or those of the installation', async () => {
    const change = onChange('patch', '/api/v1/workspaces/{slug}', workspaces.items[1] ?? null);
    openPage('/operator/workspaces', OPERATOR, change.handler);
    await see('500 trials, no limit of minutes a day');
    await press('Edit Payments…');
    await userEvent.clear(await screen.findByLabelText('Queued trials'));
    const minutes = screen.getByLabelText('Bench minutes in 24 hours');
    await userEvent.clear(minutes);
    await userEvent.type(minutes, '240');
    await press('Save');
    await expect
      .poll(() => change.bodies)
      .toEqual([{ name: 'Payments', max_queued_trials: null, max_bench_minutes: 240 }]);
  });

  test('are not deleted while they have runs', async () => {
    const detail = 'Workspace main has 41 runs.';
    const remove = onChange('delete', '/api/v1/workspaces/{slug}', { detail }, 409);
    openPage('/operator/workspaces', OPERATOR, remove.handler);
    await press('Delete Main…');
    await press('Delete workspace');
    await see(detail);
  });
});

describe('the hosts', () => {
  const at = '/api/v1/hosts/{name}/reservation';

  test('are reserved for workspaces', async () => {
    const reserve = onChange('put', at, { workspaces: ['payments'] });
    openPage('/operator/hosts', OPERATOR, reserve.handler);
    await press('Reserve bench-01…');
    await press('Workspaces', 'combobox');
    await press('Payments', 'option');
    await press('Save');
    await expect.poll(() => reserve.bodies).toEqual([{ workspaces: ['payments'] }]);
  });

  test('are released for all workspaces', async () => {
    const reserve = onChange('put', at, { workspaces: null });
    const reserved = respond(at, { workspaces: ['payments'] });
    openHosts({ is_reserved: true, is_usable: false }, reserved, reserve.handler);
    expect(await screen.findByRole('cell', { name: 'Payments' })).toBeTruthy();
    await press('Reserve bench-01…');
    await screen.findByRole('combobox', { name: 'Workspaces' });
    await userEvent.keyboard('{Backspace}');
    await press('Save');
    await expect.poll(() => reserve.bodies).toEqual([{ workspaces: null }]);
  });
});

describe('scheduled backups', () => {
  const backup = {
    succeeded_at: '2026-11-24T03:01:00Z',
    failed_at: null,
    error: null,
    next_at: '2026-11-25T03:00:00Z',
    is_overdue: false,
  };

  test.each([
    [
      'a failure',
      { failed_at: '2026-11-25T03:00:10Z', error: 'The disk is full.' },
      /disk is full/,
    ],
    ['a backup that does not come', { is_overdue: true }, /The next backup is overdue/],
  ])('show operators %s', async (_, change, text) => {
    const found = { ...health, backup: { ...backup, ...change } };
    openPage('/operator/hosts', OPERATOR, respond('/api/v1/health', found));
    await see(text);
  });

  test('show nothing while they succeed', async () => {
    openPage('/operator/hosts', OPERATOR, respond('/api/v1/health', { ...health, backup }));
    await see('bench-01');
    expect(screen.queryByText(/backup/)).toBeNull();
  });
});

describe('a host', () => {
  const at = '/api/v1/hosts/{name}';

  test('is paused after a confirmation', async () => {
    const change = onChange('patch', at, { ...host, status: 'paused' });
    openPage('/operator/hosts', OPERATOR, change.handler);
    await press('Pause bench-01…');
    await see(/takes no new ones/);
    await press('Pause host');
    await expect.poll(() => change.bodies).toEqual([{ is_paused: true }]);
  });

  test.each([{ status: 'paused' }, { status: 'leaving', state: 'leaving' }] as const)(
    'that takes no trials is resumed: $status',
    async (part) => {
      const change = onChange('patch', at, host);
      openHosts(part, change.handler);
      await see('finishes its current trial');
      expect(screen.getByRole('button', { name: 'Revoke bench-01…' })).toBeTruthy();
      expect(screen.queryAllByRole('button', { name: 'Let bench-01 leave…' })).toHaveLength(
        part.status === 'leaving' ? 0 : 1,
      );
      await press('Resume bench-01');
      await expect.poll(() => change.bodies).toEqual([{ is_paused: false, is_leaving: false }]);
    },
  );

  test('leaves after a confirmation', async () => {
    const change = onChange('patch', at, { ...host, status: 'leaving', state: 'leaving' });
    openPage('/operator/hosts', OPERATOR, change.handler);
    await press('Let bench-01 leave…');
    await see(/It finishes its current trial, if it runs one/);
    await press('Let host leave');
    await expect.poll(() => change.bodies).toEqual([{ is_leaving: true }]);
  });

  test('that did not join with a key cannot leave; another version needs an update', async () => {
    openHosts({ has_key: false, state: 'outdated' });
    await see('update Tacho on this host');
    expect(await screen.findByRole('button', { name: 'Pause bench-01…' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Let bench-01 leave…' })).toBeNull();
  });

  test('gets another name, unless the name is taken', async () => {
    const detail = "There is a host 'rack-7' already. Choose another name.";
    const change = onChange('patch', at, { detail }, 409);
    openPage('/operator/hosts', OPERATOR, change.handler);
    await press('Rename bench-01…');
    const name = await screen.findByRole('textbox', { name: /^Name/ });
    await userEvent.clear(name);
    await userEvent.type(name, 'rack-7');
    await press('Save');
    await see(detail);
    expect(change.bodies).toEqual([{ name: 'rack-7' }]);
  });
});

describe('a new host', () => {
  const made = {
    name: 'bench-02',
    key: 'secret-key',
    join_command: 'make join URL=https://tacho.example KEY=secret-key',
    container_command: 'make join-container URL=https://tacho.example KEY=secret-key',
    expires_at: '2026-11-24T08:00:00Z',
  };

  const addHost = async (handler: RequestHandler) => {
    openPage('/operator/hosts', OPERATOR, handler);
    await press('Add host');
    await userEvent.type(screen.getByRole('textbox', { name: /^Name of the host/ }), 'bench-02');
    await press('Create key');
  };

  test('gets a command to join, which is shown once', async () => {
    const create = onChange('post', '/api/v1/host-keys', made, 201);
    await addHost(create.handler);
    await see(made.join_command);
    expect(screen.getByText(made.container_command)).toBeTruthy();
    expect(create.bodies).toEqual([{ name: 'bench-02' }]);
    await press('Done');
    expect(screen.queryByText(made.join_command)).toBeNull();
  });

  test('is refused if other machines cannot reach the servers', async () => {
    const detail = 'Other machines cannot reach the database. Set TACHO_PUBLIC_DATABASE.';
    const create = onChange('post', '/api/v1/host-keys', { detail }, 409);
    await addHost(create.handler);
    await see(detail);
  });

  test('is listed until its machine joins, and its key can be withdrawn', async () => {
    const created_at = '2026-11-23T08:00:00Z';
    const items = [{ name: 'bench-02', created_at, expires_at: made.expires_at }];
    const withdraw = onChange('delete', '/api/v1/host-keys/{name}', null, 204);
    const listed = respond('/api/v1/host-keys', { items, next: null });
    openPage('/operator/hosts', OPERATOR, listed, withdraw.handler);
    const name = 'Withdraw the key of bench-02…';
    await press(name);
    await press('Withdraw key');
    await expect.poll(() => withdraw.bodies.length).toBe(1);
  });

  test('is revoked after a confirmation', async () => {
    const revoke = onChange('post', '/api/v1/hosts/{name}/revoke', host);
    openPage('/operator/hosts', OPERATOR, revoke.handler);
    await press('Revoke bench-01…');
    await see(/Its connections end at once/);
    await press('Revoke host');
    await expect.poll(() => revoke.bodies.length).toBe(1);
  });

  test('that was revoked gets a new key', async () => {
    const create = onChange('post', '/api/v1/host-keys', made, 201);
    openHosts({ status: 'revoked', state: 'offline' }, create.handler);
    await press('New key for bench-01');
    await expect.poll(() => create.bodies).toEqual([{ name: 'bench-01' }]);
    expect(screen.queryByRole('button', { name: 'Revoke bench-01…' })).toBeNull();
  });
});

test('others read that these pages are for operators', async () => {
  openPage('/operator', respond('/api/v1/session', signedInAs('owner')));
  await see('Only operators of this installation can do this.');
});
