import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, test, vi } from 'vitest';
import { respond } from '@/testing/api';
import { incidents } from '@/testing/documents/incidents';
import { openPage, see } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

const none = { items: [], next: null };
const noCounts = { open: 0, suspected: 0, testing: 0, confirmed: 0, dismissed: 0, host_drift: 0 };

describe('the list of changes', () => {
  testWaitingAndErrors('/changes', '/api/v1/incidents', incidents, /Latency p50/);

  test('explains what detection needs', async () => {
    openPage(
      '/changes',
      respond('/api/v1/incidents', none),
      respond('/api/v1/incident-counts', noCounts),
    );
    await see('No changes yet');
  });

  test('distinguishes a status without changes', async () => {
    openPage('/changes?status=dismissed', respond('/api/v1/incidents', none));
    await see('No changes with this status');
  });

  test('explains that no change is open', async () => {
    openPage('/changes', respond('/api/v1/incidents', none));
    await see('No open changes');
  });

  test('opens with the open changes, and lists the others on request', async () => {
    const asked: (string | null)[] = [];
    openPage(
      '/changes',
      http.get('*/api/v1/incidents', ({ request }) => {
        asked.push(new URL(request.url).searchParams.get('open'));
        return HttpResponse.json(incidents);
      }),
    );
    const link = await screen.findByRole('link', { name: /of Node\.js on Hello/ });
    expect(link.getAttribute('href')).toBe(`/incidents/${incidents.items[0]?.id ?? ''}`);
    expect(screen.getByText(/2.series shifted/)).toBeTruthy();
    expect(screen.getByRole('link', { name: /^Open / }).getAttribute('aria-current')).toBe('page');
    expect(asked).toEqual(['true']);
    await userEvent.click(await screen.findByText('Other changes'));
    await vi.waitFor(() => expect(asked).toEqual(['true', 'false']));
  });

  test('shows a shift of the host', async () => {
    const items = incidents.items.map((item) => ({
      ...item,
      kind: 'host' as const,
      framework: null,
    }));
    openPage('/changes', respond('/api/v1/incidents', { items, next: null }));
    await see('2 series on bench-01');
  });
});
