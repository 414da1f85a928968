import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import { respond } from '@/testing/api';
import { signedInAs } from '@/testing/documents/sessions';
import { audit } from '@/testing/documents/teams';
import { openPage, see } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

const PATH = '/api/v1/audit';
const OWNER = respond('/api/v1/session', signedInAs('owner'));

describe('the audit log', () => {
  testWaitingAndErrors('/settings/audit', PATH, audit, 'member.changed');

  test('shows who changed what, before and after', async () => {
    openPage('/settings/audit', OWNER);
    const row = await screen.findByRole('row', { name: /member\.changed/ });
    expect(row.textContent).toContain('ada@example.org');
    expect(row.textContent).toContain('bo@example.org');
    expect(row.textContent).toContain('viewer → member');
    expect(row.textContent).toContain('203.0.113.5');
  });

  test('is filtered, and its files too', async () => {
    const asked: string[] = [];
    const handler = http.get(`*${PATH}`, ({ request }) => {
      asked.push(new URL(request.url).searchParams.get('actor') ?? '');
      return HttpResponse.json({ items: [], next: null });
    });
    openPage('/settings/audit', OWNER, handler);
    await userEvent.type(await screen.findByLabelText('Who'), 'bo');
    await see('No entry matches');
    expect(asked.at(-1)).toBe('bo');
    const csv = screen.getByRole('link', { name: 'CSV' });
    expect(csv.getAttribute('href')).toBe('/api/v1/audit.csv?actor=bo');
  });

  test('is only for owners', async () => {
    openPage('/settings/audit', respond('/api/v1/session', signedInAs('maintainer')));
    await see('You cannot read the audit log');
  });
});
