import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { refuse, respond } from '@/testing/api';
import { webhooks } from '@/testing/documents/plans';
import { openPage } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

describe('the settings', () => {
  const path = '/api/v1/webhooks';
  testWaitingAndErrors('/settings', path, webhooks, /chat\.example\.org/);

  test('explain what a webhook is for when there are none', async () => {
    openPage('/settings', respond(path, { items: [], next: null }));
    expect(await screen.findByText('No webhooks yet')).toBeTruthy();
  });

  test('ask visitors to sign in', async () => {
    openPage(
      '/settings',
      refuse(path, { status: 401, code: 'unauthorized', detail: 'This needs a token.' }),
    );
    expect((await screen.findByRole('alert')).textContent).toContain('token');
    expect(screen.queryByRole('button', { name: 'Add a webhook' })).toBeNull();
  });
});
