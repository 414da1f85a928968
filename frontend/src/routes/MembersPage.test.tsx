import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { onChange, respond } from '@/testing/api';
import { payments, signedInAs } from '@/testing/documents/sessions';
import { invitations, members } from '@/testing/documents/teams';
import { openPage, press, see } from '@/testing/page';

const SESSION = '/api/v1/session';
const MEMBER = '/api/v1/members/{user_id}';
const OWNER = respond(SESSION, signedInAs('owner'));

async function choose(label: string, role: string): Promise<void> {
  await press(label, 'combobox');
  await press(role, 'option');
}

describe('the members', () => {
  test('change their role in place', async () => {
    const change = onChange('patch', MEMBER, { ...members.items[1], role: 'maintainer' });
    openPage('/settings', OWNER, change.handler);
    await choose('Role of Bo Diaz', 'Maintainer');
    await expect.poll(() => change.bodies).toEqual([{ role: 'maintainer' }]);
  });

  test('keep the last owner', async () => {
    const detail = 'Ada Lovelace is the last owner. Make another member an owner first.';
    const change = onChange('patch', MEMBER, { title: 'Conflict', detail }, 409);
    openPage('/settings', OWNER, change.handler);
    await choose('Role of Ada Lovelace', 'Viewer');
    await see(detail);
    const field = screen.getByRole<HTMLInputElement>('combobox', { name: 'Role of Ada Lovelace' });
    expect(field.value).toBe('Owner');
  });

  test('cannot be changed by others, who may leave', async () => {
    openPage('/settings', respond(SESSION, signedInAs('member')));
    const row = await screen.findByRole('row', { name: /Bo Diaz/ });
    expect(within(row).queryByRole('combobox')).toBeNull();
    expect(within(row).queryByRole('button')).toBeNull();
    expect(screen.getByRole('button', { name: 'Leave…' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Invite a person' })).toBeNull();
    expect(screen.queryByRole('link', { name: 'Audit log' })).toBeNull();
  });

  test('are none on a machine without accounts', async () => {
    openPage('/settings');
    await see(/Anyone on this machine is the owner/);
    expect(screen.getByRole('button', { name: 'Create invitation' })).toBeTruthy();
  });
});

test('the link of an invitation is shown once', async () => {
  const url = 'https://tacho.example/join#secret';
  const create = onChange('post', '/api/v1/invitations', { ...invitations.items[0], url }, 201);
  openPage('/settings', OWNER, create.handler);
  await press('Invite a person');
  await userEvent.type(screen.getByLabelText(/^E-mail/), 'cy@example.org');
  await press('Create invitation');
  await see(url);
  expect(create.bodies).toEqual([{ email: 'cy@example.org', role: 'member', days: 7 }]);
  await press('Done');
  expect(screen.queryByText(url)).toBeNull();
});

describe('the menu of the person', () => {
  test('switches the workspace', async () => {
    const change = onChange('patch', SESSION, {
      ...signedInAs('owner', [payments]),
      workspace: payments,
    });
    openPage('/settings', respond(SESSION, signedInAs('owner', [payments])), change.handler);
    await press('Ada Lovelace, Main');
    const other = await screen.findByRole('menuitemradio', { name: /Payments/ });
    expect(other.getAttribute('aria-checked')).toBe('false');
    await userEvent.click(other);
    expect(await screen.findByRole('button', { name: 'Ada Lovelace, Payments' })).toBeTruthy();
    expect(change.bodies).toEqual([{ workspace: 'payments' }]);
  });

  test('offers no workspace to a person who belongs to one', async () => {
    openPage('/settings', OWNER);
    await press('Ada Lovelace');
    expect(await screen.findByRole('menuitem', { name: 'Account' })).toBeTruthy();
    expect(screen.queryByRole('menuitemradio')).toBeNull();
    expect(screen.queryByRole('menuitem', { name: 'Installation' })).toBeNull();
  });

  test('is absent on a machine without accounts', async () => {
    openPage('/verdicts');
    expect(await screen.findByRole('heading', { level: 1 })).toBeTruthy();
    expect(screen.queryByRole('button', { name: /Ada|Token/ })).toBeNull();
    expect(screen.queryByRole('link', { name: 'Sign in' })).toBeNull();
  });
});
