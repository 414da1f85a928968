import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { onChange, respond, server } from '@/testing/api';
import { signedInAs, visitor } from '@/testing/documents/sessions';
import { openPage, press, see } from '@/testing/page';

const PATH = '/api/v1/session';
const MEMBER = signedInAs('member');

async function enterPassword(): Promise<void> {
  await userEvent.type(await screen.findByLabelText(/^E-mail/), 'ada@example.org');
  await userEvent.type(screen.getByLabelText(/^Password/), 'correct horse');
  await press('Sign in');
}

describe('the sign-in page', () => {
  test('shows next to the field that the password is wrong', async () => {
    const { handler } = onChange('post', PATH, { title: 'Sign in first', detail: 'No.' }, 401);
    openPage('/sign-in?to=/verdicts', respond(PATH, visitor), handler);
    await enterPassword();
    await see(/The e-mail address or the password is wrong/);
  });

  test('returns to the page that it was opened from', async () => {
    const { handler, bodies } = onChange('post', PATH, MEMBER);
    openPage('/sign-in?to=/verdicts', respond(PATH, visitor), handler);
    await enterPassword();
    expect(await screen.findByRole('heading', { level: 1, name: 'Verdicts' })).toBeTruthy();
    expect(bodies).toEqual([{ email: 'ada@example.org', password: 'correct horse' }]);
    expect(await screen.findByRole('button', { name: 'Ada Lovelace' })).toBeTruthy();
  });

  test('sends a link for a new password where the installation sends e-mail', async () => {
    const { handler, bodies } = onChange('post', '/api/v1/links/reset', null, 204);
    const ways = { ...visitor.sign_in, reset: true };
    openPage('/sign-in', respond(PATH, { ...visitor, sign_in: ways }), handler);
    await userEvent.type(await screen.findByLabelText(/^E-mail/), 'ada@example.org');
    await press('Forgot your password?');
    await press('Send link');
    await see(/a link is on its way/);
    expect(bodies).toEqual([{ email: 'ada@example.org' }]);
    await press('Back');
    expect(await screen.findByRole('button', { name: 'Sign in' })).toBeTruthy();
  });

  test('never leads to another site', async () => {
    const { handler } = onChange('post', PATH, MEMBER);
    openPage('/sign-in?to=https://evil.example/', respond(PATH, visitor), handler);
    await enterPassword();
    expect(await screen.findByRole('link', { name: 'New run' })).toBeTruthy();
    expect(await screen.findByRole('heading', { level: 1, name: /./ })).toBeTruthy();
    expect(screen.queryByText('Page not found')).toBeNull();
  });

  test('offers only the token without accounts, and folds it with accounts', async () => {
    const sign_in = { password: false, token: true, reset: false, oidc: null };
    openPage('/sign-in', respond(PATH, { ...visitor, sign_in }));
    expect(await screen.findByLabelText(/^Token/)).toBeTruthy();
    expect(screen.queryByLabelText(/^E-mail/)).toBeNull();
  });

  test('folds the token next to accounts', async () => {
    const sign_in = { password: true, token: true, reset: false, oidc: null };
    const { handler, bodies } = onChange('post', PATH, MEMBER);
    openPage('/sign-in?to=/verdicts', respond(PATH, { ...visitor, sign_in }), handler);
    await userEvent.click(await screen.findByText('Sign in with the token of this installation'));
    await userEvent.type(screen.getByLabelText(/^Token/), ' s3cret ');
    await press('Sign in with token');
    expect(await screen.findByRole('heading', { level: 1, name: 'Verdicts' })).toBeTruthy();
    expect(bodies).toEqual([{ token: 's3cret' }]);
  });

  test('explains that the local owner needs no account', async () => {
    openPage('/sign-in?to=/verdicts');
    await see(/no accounts on this installation/);
    await press('Continue', 'link');
    expect(await screen.findByRole('heading', { level: 1, name: 'Verdicts' })).toBeTruthy();
  });
});

describe('single sign-on', () => {
  const sign_in = { password: true, token: false, reset: false, oidc: 'Example login' };
  const OFFERED = respond(PATH, { ...visitor, sign_in });

  test('opens the page of the provider, and returns to the page of the link', async () => {
    const start = onChange('post', `${PATH}/oidc`, { url: '#at-the-provider' });
    openPage('/sign-in?to=/verdicts', OFFERED, start.handler);
    await press('Sign in with Example login');
    await expect.poll(() => globalThis.location.hash).toBe('#at-the-provider');
    expect(start.bodies).toEqual([{ to: '/verdicts' }]);
  });

  test('is offered without accounts', async () => {
    openPage('/sign-in', respond(PATH, { ...visitor, sign_in: { ...sign_in, password: false } }));
    expect(await screen.findByRole('button', { name: 'Sign in with Example login' })).toBeTruthy();
    expect(screen.queryByLabelText(/^Password/)).toBeNull();
    expect(screen.queryByLabelText(/^Token/)).toBeNull();
  });

  test('shows that the provider does not answer', async () => {
    const problem = { title: 'Unavailable', detail: 'The provider does not answer.' };
    openPage('/sign-in', OFFERED, onChange('post', `${PATH}/oidc`, problem, 503).handler);
    await press('Sign in with Example login');
    await see('The provider does not answer.');
  });

  test.each([
    ['no_account', /Ask an owner of a workspace for an invitation/],
    ['not_started', /expired, or it began in another browser/],
    ['toString', /Try again/],
  ])('explains the refusal %s', async (code, sentence) => {
    openPage(`/sign-in?refused=${code}`, OFFERED);
    expect((await screen.findByRole('alert')).textContent).toMatch(sentence);
    expect(await screen.findByLabelText(/^Password/)).toBeTruthy();
  });
});

describe('without signing in', () => {
  test('the form of a run offers to sign in instead of starting it', async () => {
    openPage('/runs/new?cells=hello.node', respond(PATH, visitor));
    const link = await screen.findByRole('link', { name: 'Sign in to run' });
    expect(link.getAttribute('href')).toContain('to=%2Fruns%2Fnew');
    expect(screen.queryByRole('button', { name: 'Run' })).toBeNull();
    expect(screen.queryByRole('link', { name: 'Schedule…' })).toBeNull();
  });

  test.each([
    ['/settings', /Sign in to see the settings/],
    ['/account', /Sign in to manage your account/],
    ['/operator', /Sign in to manage the installation/],
  ])('%s asks to sign in', async (url, title) => {
    openPage(url, respond(PATH, visitor));
    await see(title);
    expect(screen.getAllByRole('link', { name: 'Sign in' })).not.toHaveLength(0);
  });
});

test('a viewer reads why the run cannot be started', async () => {
  openPage('/runs/new?cells=hello.node', respond(PATH, signedInAs('viewer')));
  const button = await screen.findByRole('button', { name: 'Run' });
  await see(/Your role in Main is viewer/);
  expect(button.hasAttribute('disabled')).toBe(true);
});

test('a session that ends during use is reported once', async () => {
  openPage('/settings', respond(PATH, signedInAs('owner')));
  await screen.findByText('bo@example.org');
  const { handler } = onChange('patch', '/api/v1/members/{user_id}', { detail: 'Ended.' }, 401);
  server.use(handler, respond(PATH, visitor));
  await press('Role of Bo Diaz', 'combobox');
  await press('Member', 'option');
  await see(/Your session has ended/);
  expect(screen.getAllByText(/Your session has ended/)).toHaveLength(1);
  await see(/Sign in to see the settings/);
});
