import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { onChange, respond } from '@/testing/api';
import { signedInAs, visitor } from '@/testing/documents/sessions';
import { openPage, press, see } from '@/testing/page';

const READ = '/api/v1/device-logins/read';
const DECIDE = '/api/v1/device-logins/decide';
const SESSION = '/api/v1/session';
const LOGIN = {
  client_name: 'tacho on laptop',
  address: '203.0.113.5',
  scope: 'run',
  started_at: '2026-11-24T08:00:00Z',
};

describe('the page of tacho login', () => {
  test('shows the program, and approves it with a scope', async () => {
    const read = onChange('post', READ, LOGIN);
    const decide = onChange('post', DECIDE, LOGIN);
    openPage('/device', respond(SESSION, signedInAs('member')), read.handler, decide.handler);
    const field = await screen.findByLabelText<HTMLInputElement>(/^Code/);
    const next = screen.getByRole<HTMLButtonElement>('button', { name: 'Continue' });
    expect(next.disabled).toBe(true);
    await userEvent.type(field, 'wdjb mjht');
    expect(field.value).toBe('WDJB-MJHT');
    await userEvent.click(next);
    await see('tacho on laptop');
    expect(screen.getByText('203.0.113.5')).toBeTruthy();
    expect(screen.getByText(/Only continue if you started this/)).toBeTruthy();
    expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Run' }).checked).toBe(true);
    expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Manage' }).disabled).toBe(true);
    await press('Read', 'radio');
    await press('Approve');
    await see('The command line is approved');
    expect(read.bodies).toEqual([{ user_code: 'WDJB-MJHT' }]);
    expect(decide.bodies).toEqual([{ user_code: 'WDJB-MJHT', approve: true, scope: 'read' }]);
  });

  test('denies a sign-in', async () => {
    const read = onChange('post', READ, { ...LOGIN, scope: 'manage' });
    const decide = onChange('post', DECIDE, LOGIN);
    openPage(
      '/device#WDJB-MJHT',
      respond(SESSION, signedInAs('viewer')),
      read.handler,
      decide.handler,
    );
    await press('Continue');
    const choice = await screen.findByRole<HTMLInputElement>('radio', { name: 'Read' });
    expect(choice.checked).toBe(true);
    await press('Deny');
    await see('The command line is denied');
    expect(decide.bodies).toEqual([{ user_code: 'WDJB-MJHT', approve: false }]);
  });

  test('explains a wrong code', async () => {
    const read = onChange('post', READ, { detail: 'No sign-in waits with this code.' }, 404);
    openPage('/device', respond(SESSION, signedInAs('member')), read.handler);
    await userEvent.type(await screen.findByLabelText(/^Code/), 'BBBBBBBB');
    await press('Continue');
    await see('No sign-in waits with this code.');
  });

  test('ignores a code in the query', async () => {
    openPage('/device?code=WDJB-MJHT', respond(SESSION, signedInAs('member')));
    const field = await screen.findByLabelText<HTMLInputElement>(/^Code/);
    expect(field.value).toBe('');
  });

  test('asks a visitor to sign in, and returns', async () => {
    openPage('/device#WDJB-MJHT', respond(SESSION, visitor));
    const content = await screen.findByRole('main');
    await screen.findByText('Sign in to approve the command line');
    const links = [...content.querySelectorAll('a')].map((link) => link.getAttribute('href'));
    expect(links).toContain('/sign-in?to=%2Fdevice');
  });
});
