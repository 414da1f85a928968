import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test } from 'vitest';
import { forgetSessionEnd } from '@/lib/session-end';
import { onChange, respond, server } from '@/testing/api';
import { signedInAs, visitor } from '@/testing/documents/sessions';
import { openPage, press } from '@/testing/page';

const SESSION = '/api/v1/session';
const MAINTAINER = signedInAs('maintainer');
const FORM = '/schedules/new?cells=hello.node&title=Nightly';
const NAME = 'Weekly check';
const TIMES = respond('/api/v1/schedule-times', {
  words: 'Every day at 02:00',
  next_times: ['2026-11-26T02:00:00Z'],
});

/** Fills the form of a schedule, and submits it after the session has ended. */
async function submitTooLate(): Promise<void> {
  const refused = { title: 'Sign in first', detail: 'Your session has ended.' };
  openPage(
    FORM,
    respond(SESSION, MAINTAINER),
    TIMES,
    onChange('post', '/api/v1/schedules', refused, 401).handler,
  );
  const field = await screen.findByLabelText(/^Name/);
  await userEvent.clear(field);
  await userEvent.type(field, NAME);
  server.use(respond(SESSION, visitor));
  await press('Create schedule');
  await screen.findByText(/Your session has ended/);
}

async function signIn(session: typeof MAINTAINER): Promise<void> {
  server.use(onChange('post', SESSION, session).handler, respond(SESSION, session));
  const [link] = screen.getAllByRole('link', { name: 'Sign in' });
  if (link === undefined) throw new Error('The page has no link to sign in.');
  await userEvent.click(link);
  await userEvent.type(await screen.findByLabelText(/^E-mail/), 'ada@example.org');
  await userEvent.type(screen.getByLabelText(/^Password/), 'correct horse');
  await press('Sign in');
}

describe('a form whose session ends', () => {
  beforeEach(() => {
    sessionStorage.clear();
    forgetSessionEnd();
  });

  test('shows what the person entered after signing in again', async () => {
    await submitTooLate();
    expect(screen.getByText(/Forms then show what you entered/)).toBeTruthy();
    await signIn(MAINTAINER);
    expect(await screen.findByLabelText(/^Name/)).toHaveProperty('value', NAME);
    expect(Object.values(sessionStorage).join('')).not.toContain(NAME);
  });

  test('shows another person nothing of it', async () => {
    await submitTooLate();
    const email = 'grace@example.org';
    const other = { id: crypto.randomUUID(), email, name: 'Grace Hopper', is_operator: false };
    await signIn({ ...MAINTAINER, user: other });
    expect(await screen.findByLabelText(/^Name/)).toHaveProperty('value', 'Nightly');
    expect(Object.values(sessionStorage).join('')).not.toContain(NAME);
  });
});
