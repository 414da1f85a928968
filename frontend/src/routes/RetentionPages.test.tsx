import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { onChange, respond } from '@/testing/api';
import { operator, signedInAs } from '@/testing/documents/sessions';
import { installationRetention, retention } from '@/testing/documents/teams';
import { openPage, press, see } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

const OPERATOR = respond('/api/v1/session', operator());
const WORKSPACE = '/settings/retention';
const INSTALLATION = '/operator/retention';

describe('the retention of a workspace', () => {
  testWaitingAndErrors(WORKSPACE, '/api/v1/retention', retention, /This installation keeps/);

  test('is shown to members, and changed by owners', async () => {
    openPage(WORKSPACE, respond('/api/v1/session', signedInAs('member')));
    const text = await screen.findByText(/This workspace keeps/);
    expect(text.textContent).toMatch(
      /installation keeps seconds for 90\sdays and logs for ever. This workspace keeps seconds for 30\sdays/,
    );
    expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  });

  test('cannot exceed that of the installation', async () => {
    const problems = [{ field: 'seconds_days', detail: 'must be at most 90.' }];
    const change = onChange('put', '/api/v1/retention', { detail: 'Refused.', problems }, 422);
    openPage(WORKSPACE, respond('/api/v1/session', signedInAs('owner')), change.handler);
    const seconds = await screen.findByLabelText('Seconds');
    await userEvent.clear(seconds);
    await userEvent.type(seconds, '120');
    await press('Save');
    await see('It must be at most 90.');
    expect(change.bodies).toEqual([{ seconds_days: 120, logs_days: null }]);
  });
});

describe('the retention of the installation', () =>
  test('is set by operators; an empty field keeps for ever', async () => {
    const path = '/api/v1/retention/installation';
    const change = onChange('put', path, installationRetention);
    openPage(INSTALLATION, OPERATOR, change.handler);
    await userEvent.clear(await screen.findByLabelText('Seconds'));
    await userEvent.type(screen.getByLabelText('Logs'), '14');
    await press('Save');
    await see('Saved.');
    expect(change.bodies).toEqual([{ seconds_days: null, logs_days: 14 }]);
  }));
