import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import { refuse, respond } from '@/testing/api';
import { metrics } from '@/testing/documents/catalogue';
import { slos } from '@/testing/documents/plans';
import { openPage, press, see } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

const none = { items: [], next: null };

describe('the limits', () => {
  testWaitingAndErrors('/limits', '/api/v1/slos', slos, /Latency p99 at most 5/);

  test('offers to sign in where limits need an account', async () => {
    openPage('/limits', refuse('/api/v1/slos', { status: 401, title: 'No', detail: 'No.' }));
    await see('Sign in to see this');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('offers a limit of the first primary metric', async () => {
    const [first, ...rest] = metrics.items;
    const items = first ? [{ ...first, is_primary: false }, ...rest] : [];
    openPage('/limits', respond('/api/v1/metrics', { ...metrics, items }));
    expect(await screen.findByLabelText(/^At most, in ms/)).toBeTruthy();
    expect(screen.getByDisplayValue('Latency p50')).toBeTruthy();
  });

  test('explains that no limit is set', async () => {
    openPage('/limits', respond('/api/v1/slos', none));
    await see(/^No limits yet/);
  });

  test('sets a limit for one load', async () => {
    const sent: unknown[] = [];
    openPage(
      '/limits',
      http.post('*/api/v1/slos', async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json(slos.items[0], { status: 201 });
      }),
    );
    await see(/on Hello, rate-quick, 1.000.req\/s/);
    await press('Load', 'combobox');
    await press('rate, quick', 'option');
    await userEvent.type(screen.getByLabelText('Rate, in req/s'), '400');
    await userEvent.type(await screen.findByLabelText(/^At (most|least), in/), '50');
    await press('Set limit');
    expect(sent).toEqual([
      {
        framework: null,
        scenario: 'hello',
        profile: 'rate-quick',
        parameters: { rate_rps: 400 },
        metric: metrics.items.find((metric) => metric.is_primary)?.metric,
        limit: 50,
      },
    ]);
  });
});
