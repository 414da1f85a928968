import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { onChange, respond } from '@/testing/api';
import { webhooks } from '@/testing/documents/plans';
import { signedInAs } from '@/testing/documents/sessions';
import { openPage, press, see } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

const URL = '/settings/webhooks';

describe('the webhooks', () => {
  const path = '/api/v1/webhooks';
  testWaitingAndErrors(URL, path, webhooks, /chat\.example\.org/);

  test('explain what a webhook is for when there are none', async () => {
    openPage(URL, respond(path, { items: [], next: null }));
    await see('No webhooks yet');
  });

  test('are only for maintainers and owners', async () => {
    openPage(URL, respond('/api/v1/session', signedInAs('member')));
    await see('You cannot manage webhooks');
    expect(screen.queryByRole('button', { name: 'Add a webhook' })).toBeNull();
  });

  test('are created by a form that shows problems at the field', async () => {
    const problems = [{ field: 'url', detail: 'must use https.' }];
    const refused = onChange('post', path, { detail: 'Refused.', problems }, 422);
    openPage(URL, refused.handler);
    await press('Add a webhook');
    const field = screen.getByLabelText(/^URL/);
    await userEvent.type(field, ' http://example.org/hook');
    await press('A run finished', 'checkbox');
    await press('Create webhook');
    await see('It must use https.');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(screen.queryByRole('alert')).toBeNull();
    expect(refused.bodies).toEqual([
      {
        url: 'http://example.org/hook',
        description: '',
        events: ['limit.missed', 'change.confirmed', 'schedule.missed'],
      },
    ]);
    await userEvent.clear(field);
    await userEvent.type(field, 'https://example.org/hook');
    expect(screen.queryByText('It must use https.')).toBeNull();
  });

  test('are deleted after a confirmation', async () => {
    const remove = onChange('delete', '/api/v1/webhooks/{webhook_id}', null);
    openPage(URL, remove.handler);
    const [open] = await screen.findAllByRole('button', { name: /^Delete/ });
    if (open === undefined) throw new Error('The page has no button to delete a webhook.');
    await userEvent.click(open);
    const dialog = within(await screen.findByRole('dialog', { name: 'Delete this webhook?' }));
    expect(remove.bodies).toEqual([]);
    await userEvent.click(dialog.getByRole('button', { name: 'Delete webhook' }));
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
    expect(remove.bodies).toEqual([null]);
  });
});
