import { screen, within } from '@testing-library/react';
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

  test('starts with the claims, and declares each difference with its reason', async () => {
    openPage(url);
    const claims = await screen.findByRole('table', { name: 'Claims' });
    const heads = within(claims).getAllByRole('columnheader');
    expect(heads.map((head) => head.textContent)).toEqual(['Claim', 'Finding', 'Our number']);
    const row = within(claims).getAllByRole('row')[1];
    expect(row?.textContent).toContain('0.162×');
    expect(row?.textContent).toContain('Only 2 trials');
    const published = screen.getByRole('heading', { name: 'Published and measured here' });
    expect(claims.compareDocumentPosition(published)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    const differences = screen.getByText(/difference from the study/);
    expect(differences.closest('details')?.open).toBe(false);
    expect(screen.getByText('A sixth of the memory of all six services.')).toBeTruthy();
    expect(screen.getByText(/They run the same program/)).toBeTruthy();
  });
});
