import { screen, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { limits } from '@/testing/documents/teams';
import { openPage } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

const URL = '/settings/limits';

describe('the limits', () => {
  testWaitingAndErrors(URL, '/api/v1/limits', limits, 'Queued trials');

  test('show what is used', async () => {
    openPage(URL);
    const trials = await screen.findByText('460 of 500');
    expect(trials).toBeTruthy();
    expect(screen.getByText('81.5 · no limit')).toBeTruthy();
    const bars = screen.getAllByRole('progressbar');
    expect(bars.map((bar) => bar.getAttribute('aria-valuenow'))).toEqual(['3', '1', '92']);
    expect(within(document.body).getByText('37 of 1,200')).toBeTruthy();
  });
});
