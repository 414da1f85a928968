import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { onChange, respond } from '@/testing/api';
import { signedInAs, visitor } from '@/testing/documents/sessions';
import { openPage, press, see } from '@/testing/page';

const READ = '/api/v1/links/read';
const USE = '/api/v1/links/use';
const SESSION = '/api/v1/session';
const INVITATION = {
  purpose: 'invitation',
  email: null,
  workspace: 'Payments',
  role: 'member',
  expires_at: '2026-11-30T08:00:00Z',
  has_account: false,
};

describe('a one-time link', () => {
  test('that has expired shows what to do', async () => {
    const read = onChange('post', READ, { detail: 'Expired.' }, 404);
    openPage('/join#abc', respond(SESSION, visitor), read.handler);
    const title = await screen.findByRole('heading', { level: 1 });
    expect(title.textContent).toBe('This link does not work');
    expect(screen.getByText(/Ask the person who sent it for another one/)).toBeTruthy();
  });

  test('creates an account and signs in', async () => {
    const read = onChange('post', READ, INVITATION);
    const use = onChange('post', USE, signedInAs('member'));
    openPage('/join#abc', respond(SESSION, visitor), read.handler, use.handler);
    const title = await screen.findByRole('heading', { level: 1 });
    expect(title.textContent).toBe('You are invited to workspace Payments as member');
    await userEvent.type(screen.getByLabelText(/^Name/), 'Ada Lovelace');
    await userEvent.type(screen.getByLabelText(/^E-mail/), 'ada@example.org');
    await userEvent.type(screen.getByLabelText(/^Password/), 'short');
    await press('Join');
    expect(use.bodies).toEqual([]);
    await userEvent.type(screen.getByLabelText(/^Password/), ' but longer');
    await press('Join');
    expect(await screen.findByRole('button', { name: 'Ada Lovelace' })).toBeTruthy();
    expect(read.bodies).toEqual([{ key: 'abc' }]);
    expect(use.bodies).toEqual([
      { key: 'abc', name: 'Ada Lovelace', email: 'ada@example.org', password: 'short but longer' },
    ]);
  });

  test('is accepted with single sign-on', async () => {
    const read = onChange('post', READ, INVITATION);
    const start = onChange('post', `${SESSION}/oidc`, { url: '#at-the-provider' });
    const sign_in = { password: true, token: false, reset: false, oidc: 'Example login' };
    openPage('/join#abc', respond(SESSION, { ...visitor, sign_in }), read.handler, start.handler);
    await press('Join with Example login');
    await expect.poll(() => globalThis.location.hash).toBe('#at-the-provider');
    expect(start.bodies).toEqual([{ to: '/', link_key: 'abc' }]);
  });

  test('is accepted without a password by a person who is signed in', async () => {
    const read = onChange('post', READ, INVITATION);
    const use = onChange('post', USE, signedInAs('member'));
    openPage('/join#abc', respond(SESSION, signedInAs('viewer')), read.handler, use.handler);
    await press('Join Payments');
    expect(await screen.findByRole('link', { name: 'New run' })).toBeTruthy();
    expect(use.bodies).toEqual([{ key: 'abc' }]);
  });

  test('sets a password for the address that it names', async () => {
    const reset = {
      ...INVITATION,
      purpose: 'password_reset',
      email: 'bo@example.org',
      workspace: null,
      role: null,
      has_account: true,
    };
    const read = onChange('post', READ, reset);
    const use = onChange('post', USE, signedInAs('member'));
    openPage('/join#abc', respond(SESSION, visitor), read.handler, use.handler);
    await userEvent.type(await screen.findByLabelText(/^New password/), 'a longer password');
    expect(screen.queryByRole('button', { name: /^Join with/ })).toBeNull();
    await press('Set password');
    expect(await screen.findByRole('button', { name: 'Ada Lovelace' })).toBeTruthy();
    expect(use.bodies).toEqual([{ key: 'abc', password: 'a longer password' }]);
  });

  test('without its key explains what is missing', async () => {
    openPage('/join', respond(SESSION, visitor));
    await see('This page needs a complete link');
  });
});
