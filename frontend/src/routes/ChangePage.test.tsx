import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { change } from '@/testing/documents/results';
import { openPage } from '@/testing/page';
import { testMissing, testWaitingAndErrors } from '@/testing/page-states';

describe('the link of a single change', () => {
  const path = '/api/v1/changes/{change_id}';
  const url = `/changes/${change.id}`;
  testWaitingAndErrors(url, path, change, /of the earlier level/);
  testMissing(url, path, /There is no change/);

  test('leads to the incident of the change', async () => {
    openPage(url);
    const heading = await screen.findByRole('heading', { level: 1 });
    expect(heading.textContent).toMatch(/^Latency p50 of Node\.js on Hello is 1\.08×/);
  });
});
