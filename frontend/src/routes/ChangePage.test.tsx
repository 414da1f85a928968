import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { refuse } from '@/testing/api';
import { change } from '@/testing/documents/results';
import { openPage } from '@/testing/page';
import { testMissing, testWaitingAndErrors } from '@/testing/page-states';

describe('the page of a change', () => {
  const path = '/api/v1/changes/{change_id}';
  const url = `/changes/${change.id}`;
  testWaitingAndErrors(url, path, change, /Latency p50 of Node\.js/);
  testMissing(url, path, /There is no change/);

  test('names the metric by its key until its title is known', async () => {
    openPage(url, refuse('/api/v1/metrics', { status: 503 }));
    expect((await screen.findByRole('heading', { level: 1 })).textContent).toMatch(
      /of Node\.js on Hello/,
    );
  });
});
