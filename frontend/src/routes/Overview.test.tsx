import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { refuse, respond } from '@/testing/api';
import { frameworks } from '@/testing/documents/catalogue';
import { runs } from '@/testing/documents/runs';
import { openPage } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

describe('the overview', () => {
  testWaitingAndErrors('/', '/api/v1/runs', runs, 'Node against Go');

  test('explains what to do on a new installation', async () => {
    const none = { items: [], next: null };
    openPage('/', respond('/api/v1/runs', none), respond('/api/v1/hosts', none));
    expect(await screen.findByText('No runs yet')).toBeTruthy();
    expect(await screen.findByText('No bench host yet')).toBeTruthy();
  });

  test('explains that no framework can run', async () => {
    const items = frameworks.items.map((framework) => ({ ...framework, scenarios: [] }));
    openPage('/', respond('/api/v1/frameworks', { items, next: null }));
    expect(await screen.findByText('No framework can run on this machine yet')).toBeTruthy();
  });

  test('shows the runs although the hosts cannot be loaded', async () => {
    openPage('/', refuse('/api/v1/hosts', { status: 503, detail: 'No hosts for now.' }));
    expect((await screen.findByRole('alert')).textContent).toContain('No hosts for now.');
    expect(await screen.findByRole('link', { name: 'Node against Go' })).toBeTruthy();
  });

  test('lists hosts and runs with their states', async () => {
    openPage('/');
    expect(await screen.findByRole('link', { name: 'bench-01' })).toBeTruthy();
    expect(await screen.findByRole('link', { name: 'Half failed' })).toBeTruthy();
    expect(screen.getByRole('progressbar', { name: 'Live: progress' })).toBeTruthy();
  });
});
