import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { respond } from '@/testing/api';
import { study } from '@/testing/documents/studies';
import { openPage } from '@/testing/page';
import { testMissing, testWaitingAndErrors } from '@/testing/page-states';

describe('the page of a study', () => {
  const path = '/api/v1/studies/{slug}';
  const url = `/studies/${study.slug}`;
  testWaitingAndErrors(url, path, study, study.name);
  testMissing(url, path, /There is no study/);

  test('shows only published numbers before the first reproduction', async () => {
    openPage(url, respond(path, { ...study, runs: [], shown: null, claim_results: [] }));
    expect(await screen.findByRole('heading', { name: 'Published' })).toBeTruthy();
    expect(screen.getByText('None yet')).toBeTruthy();
    expect(screen.queryByRole('heading', { name: 'Claims' })).toBeNull();
  });

  test('shows published and measured numbers and the claims', async () => {
    openPage(url);
    expect(
      await screen.findByRole('heading', { name: 'Published and measured here' }),
    ).toBeTruthy();
    expect(screen.getByRole('heading', { name: 'Claims' })).toBeTruthy();
    expect(screen.getAllByRole('table').length).toBeGreaterThan(0);
  });
});
