import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { refuse, respond } from '@/testing/api';
import { frameworks, scenarios } from '@/testing/documents/catalogue';
import { openPage } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

describe('the page of a new run', () => {
  testWaitingAndErrors('/runs/new', '/api/v1/frameworks', frameworks, 'Node.js');

  test('shows an error of the scenarios', async () => {
    openPage('/runs/new', refuse('/api/v1/scenarios', { status: 503, detail: 'Too busy.' }));
    expect((await screen.findByRole('alert')).textContent).toContain('Too busy.');
  });

  test('explains an empty catalogue', async () => {
    openPage('/runs/new', respond('/api/v1/frameworks', { items: [], next: null }));
    expect(await screen.findByText('The catalogue has no frameworks.')).toBeTruthy();
  });

  test('explains that no framework matches the filter', async () => {
    openPage('/runs/new?find=cobol');
    expect(await screen.findByText('No framework matches “cobol”.')).toBeTruthy();
  });

  test('shows the limits of a run until the ranking is certain', async () => {
    openPage('/runs/new?until=ranked.12.7');
    const trials = await screen.findByLabelText('Most trials per result');
    expect(trials).toHaveProperty('value', '12');
    expect(screen.getByLabelText('Most minutes')).toHaveProperty('value', '7 min');
    expect(screen.queryByLabelText('Trials per result')).toBeNull();
  });

  test('offers each framework of each scenario', async () => {
    openPage('/runs/new', respond('/api/v1/scenarios', scenarios));
    expect(await screen.findByRole('checkbox', { name: /Node\.js/ })).toBeTruthy();
  });
});
