import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { respond } from '@/testing/api';
import { webhooks } from '@/testing/documents/plans';
import { signedInAs } from '@/testing/documents/sessions';
import { openPage } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

const URL = '/settings/webhooks';

describe('the webhooks', () => {
  const path = '/api/v1/webhooks';
  testWaitingAndErrors(URL, path, webhooks, /chat\.example\.org/);

  test('explain what a webhook is for when there are none', async () => {
    openPage(URL, respond(path, { items: [], next: null }));
    expect(await screen.findByText('No webhooks yet')).toBeTruthy();
  });

  test('are only for maintainers and owners', async () => {
    openPage(URL, respond('/api/v1/session', signedInAs('member')));
    expect(await screen.findByText('You cannot manage webhooks')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Add a webhook' })).toBeNull();
  });
});
