import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { onChange, respond } from '@/testing/api';
import { signedInAs } from '@/testing/documents/sessions';
import { browsers, tokens } from '@/testing/documents/teams';
import { openPage, press, see } from '@/testing/page';

const MEMBER = respond('/api/v1/session', signedInAs('member'));

describe('the account', () => {
  test('shows a new token once, with an example', async () => {
    const token = 'tacho_Zk3vQ9secret';
    const create = onChange('post', '/api/v1/tokens', { ...tokens.items[0], token }, 201);
    openPage('/account', MEMBER, create.handler);
    await press('New token');
    await userEvent.type(
      screen.getByLabelText(/^Name/, { selector: '[maxlength="200"]:not([autocomplete])' }),
      'Laptop',
    );
    await press('Create token');
    await see(token);
    expect(screen.getByText(/curl -H "Authorization: Bearer tacho_Zk3vQ9secret"/)).toBeTruthy();
    expect(create.bodies).toEqual([{ name: 'Laptop', scope: 'run', owner: 'me', days: 90 }]);
    await press('Done');
    expect(screen.queryByText(token)).toBeNull();
  });

  test('restricts a token to own services, also to new ones', async () => {
    const create = onChange('post', '/api/v1/tokens', { ...tokens.items[0], token: 'x' }, 201);
    openPage('/account', MEMBER, create.handler);
    await press('New token');
    await userEvent.type(
      screen.getByLabelText(/^Name/, { selector: '[maxlength="200"]:not([autocomplete])' }),
      'Pipeline',
    );
    await userEvent.click(screen.getByText('Restrict to hosts, frameworks or own services'));
    const field = screen.getByRole('combobox', { name: 'Own services' });
    await userEvent.click(field);
    await press('search', 'option');
    await userEvent.type(field, 'billing{Enter}');
    await press('Create token');
    await expect
      .poll(() => create.bodies)
      .toEqual([
        { name: 'Pipeline', scope: 'run', owner: 'me', days: 90, services: ['search', 'billing'] },
      ]);
  });

  test('lists only personal tokens, with their last use, and accounts of single sign-on', async () => {
    openPage('/account', MEMBER);
    const row = await screen.findByRole('row', { name: /Laptop/ });
    expect(row.textContent).toContain('tacho_Zk3vQ9');
    expect(row.textContent).toContain('203.0.113.5');
    expect(row.textContent).toContain('node');
    expect(screen.queryByText('Nightly CI')).toBeNull();
    const identity = await screen.findByRole('row', { name: /login\.example\.org/ });
    expect(identity.textContent).toContain('248289761001');
    await see(/If you joined with single sign-on, you have no password/);
  });

  test('revokes a token after a question', async () => {
    const revoke = onChange('delete', '/api/v1/tokens/{token_id}', null);
    openPage('/account', MEMBER, revoke.handler);
    await press('Revoke Laptop…');
    await press('Revoke token');
    await expect.poll(() => revoke.bodies).toHaveLength(1);
  });

  test('shows nothing about single sign-on without such an account', async () => {
    openPage('/account', MEMBER, respond('/api/v1/account/identities', { items: [] }));
    expect(await screen.findByRole('row', { name: /Firefox 145 on Linux/ })).toBeTruthy();
    expect(screen.queryByText('Single sign-on')).toBeNull();
    expect(screen.queryByText(/you have no password/)).toBeNull();
  });

  test('signs out all other browsers', async () => {
    const end = onChange('delete', '/api/v1/account/sessions/{session_id}', null);
    openPage('/account', MEMBER, end.handler);
    const row = await screen.findByRole('row', { name: /Firefox 145 on Linux/ });
    expect(within(row).queryByRole('button')).toBeNull();
    await press('Sign out others');
    await expect.poll(() => end.bodies).toHaveLength(browsers.items.length - 1);
  });

  test('shows next to the field that the current password is wrong', async () => {
    const problems = [{ field: 'current', detail: 'is not your current password; correct it.' }];
    const change = onChange('put', '/api/v1/account/password', { detail: '', problems }, 422);
    openPage('/account', MEMBER, change.handler);
    await userEvent.type(await screen.findByLabelText(/^Current password/), 'wrong');
    await userEvent.type(screen.getByLabelText(/^New password/), 'long enough');
    await press('Change password');
    await see(/It is not your current password/);
  });
});
