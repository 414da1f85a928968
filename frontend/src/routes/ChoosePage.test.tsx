import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import { respond } from '@/testing/api';
import { choice } from '@/testing/documents/choices';
import { runs } from '@/testing/documents/runs';
import { openPage } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

const URL = '/choose?frameworks=node,go-nethttp&scenario=hello&utm_source=chat';
const answered = respond('/api/v1/choice', choice);

describe('the page Choose', () => {
  testWaitingAndErrors(URL, '/api/v1/choice', choice, /Choose Node\.js/);

  test('offers questions whose frameworks are in the catalogue until two are chosen', async () => {
    openPage('/choose');
    expect(await screen.findByRole('heading', { name: 'For example' })).toBeTruthy();
    expect(screen.getByRole('combobox', { name: 'Among' })).toBeTruthy();
    expect(screen.queryByRole('region', { name: 'Answer' })).toBeNull();
  });

  test('recommends, and shows what speaks against it and what is missing', async () => {
    openPage(URL, answered);
    const answer = await screen.findByRole('region', { name: 'Answer' });
    expect(within(answer).getByRole('heading', { level: 2 }).textContent).toBe(
      `${choice.headline}.`,
    );
    expect(answer.textContent).toContain('By memory peak, Go net/http is better');
    expect(answer.textContent).toContain('Express is not measured.');
    const table = screen.getByRole('table', { name: 'Frameworks by what matters' });
    expect(within(table).getByText('not measured')).toBeTruthy();
  });

  test('queues exactly the plan of the missing results, and opens the run', async () => {
    const sent: unknown[] = [];
    openPage(
      URL,
      answered,
      http.post('*/api/v1/runs', async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json(runs.items[0], { status: 202 });
      }),
    );
    await userEvent.click(await screen.findByRole('button', { name: 'Measure 1 missing result' }));
    expect(await screen.findByText('Node against Go')).toBeTruthy();
    expect(sent).toEqual([choice.run?.plan]);
  });

  test('asks again for what is chosen', async () => {
    const asked: URLSearchParams[] = [];
    openPage(
      URL,
      http.get('*/api/v1/choice', ({ request }) => {
        asked.push(new globalThis.URL(request.url).searchParams);
        return HttpResponse.json(choice);
      }),
    );
    const rate = await screen.findByRole('combobox', { name: 'Rate (req/s)' });
    await userEvent.type(rate, '500{Enter}');
    await screen.findByDisplayValue('500');
    expect(asked.map((query) => query.get('load'))).toEqual([null, 'rate_rps:500']);
    expect(asked.some((query) => query.has('utm_source'))).toBe(false);
  });
});
