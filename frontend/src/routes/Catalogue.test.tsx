import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { refuse, respond } from '@/testing/api';
import { frameworks } from '@/testing/documents/catalogue';
import { openPage, see } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

describe('the catalogue', () => {
  testWaitingAndErrors('/frameworks', '/api/v1/frameworks', frameworks, 'Node.js');

  test('explains that no framework matches', async () => {
    openPage('/frameworks', respond('/api/v1/frameworks', { items: [], next: null }));
    await see('No matching frameworks');
  });

  test('lists the frameworks although the scenarios cannot be loaded', async () => {
    openPage('/frameworks', refuse('/api/v1/scenarios', { status: 503, detail: 'Too busy.' }));
    expect((await screen.findByRole('alert')).textContent).toContain('Too busy.');
    expect(await screen.findAllByText('Node.js')).not.toHaveLength(0);
  });
});
