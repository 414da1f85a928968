import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { refuse, respond } from '@/testing/api';
import { framework } from '@/testing/documents/catalogue';
import { openPage, see } from '@/testing/page';
import { testMissing, testWaitingAndErrors } from '@/testing/page-states';

const none = { items: [], next: null };

describe('the page of a framework', () => {
  const path = '/api/v1/frameworks/{slug}';
  testWaitingAndErrors('/frameworks/node', path, framework, 'Latest results');
  testMissing('/frameworks/nodd', path, /There is no framework nodd/);

  test('explains a framework that was never measured', async () => {
    openPage(
      '/frameworks/node',
      respond('/api/v1/frameworks/{slug}/results', none),
      respond('/api/v1/runs', none),
    );
    await see('No results yet');
    await see('No runs yet');
    expect(screen.getByText('No badge yet')).toBeTruthy();
  });

  test('shows which host has other files, and a badge of the main metric', async () => {
    const digests = { 'bench-01': framework.digest, 'bench-02': 'f'.repeat(64) };
    openPage('/frameworks/node', respond(path, { ...framework, digests }));
    await see(/^on bench-02:/);
    expect(await screen.findByAltText(/: CPU per request$/)).toBeTruthy();
    expect(screen.getByText('f'.repeat(16))).toBeTruthy();
    expect(screen.queryByText(/^on bench-01:/)).toBeNull();
  });

  test('shows its facts although its results cannot be loaded', async () => {
    openPage(
      '/frameworks/node',
      refuse('/api/v1/frameworks/{slug}/results', { status: 503, detail: 'Too busy.' }),
    );
    expect(await screen.findAllByText('Too busy.')).not.toHaveLength(0);
    expect(screen.getByRole('heading', { level: 1 }).textContent).toContain('Node.js');
  });
});
