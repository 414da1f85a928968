import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { refuse, respond } from '@/testing/api';
import { scenario } from '@/testing/documents/catalogue';
import { openPage, see } from '@/testing/page';
import { testMissing, testWaitingAndErrors } from '@/testing/page-states';

describe('the page of a scenario', () => {
  const path = '/api/v1/scenarios/{slug}';
  testWaitingAndErrors('/scenarios/hello', path, scenario, scenario.description);
  testMissing('/scenarios/hullo', path, /There is no scenario hullo/);

  test('shows the scenario although its runs cannot be loaded', async () => {
    openPage('/scenarios/hello', refuse('/api/v1/runs', { status: 503, detail: 'Too busy.' }));
    await see('Too busy.');
    expect(screen.getByRole('heading', { level: 1, name: 'Hello' })).toBeTruthy();
  });

  test('explains a scenario without runs', async () => {
    openPage('/scenarios/hello', respond('/api/v1/runs', { items: [], next: null }));
    await see('No runs yet');
  });
});
