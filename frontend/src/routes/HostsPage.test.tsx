import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { respond } from '@/testing/api';
import { calibration, host, hosts } from '@/testing/documents/hosts';
import { openPage, press, see } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

const path = '/api/v1/hosts';
const [noise] = calibration.noise;
if (noise === undefined) throw new Error('The calibration has no noise.');

const calibrated = {
  ...host,
  fingerprint: { logical_cores: 4, cpu_model: 'Test CPU' },
  calibration: {
    ...calibration,
    is_current: false,
    noise: [
      { ...noise, metric: 'latency_p99_ms' as const, smallest_ratio: 1.06 },
      { ...noise, metric: 'cpu_us_per_request' as const, smallest_ratio: 1.018 },
      // Not a primary metric.
      { ...noise, metric: 'latency_max_ms' as const, smallest_ratio: 1.9 },
    ],
  },
};
const idle = {
  ...host,
  id: '01a2062f-07fd-7692-b811-c832b8c950bb',
  name: 'arm-01',
  state: 'offline' as const,
  current_run_id: null,
  fingerprint: { logical_cores: 16, cpu_model: 'Other CPU' },
};

describe('the page of all hosts', () => {
  testWaitingAndErrors('/hosts', path, hosts, 'bench-01');

  test('shows what each host does, its calibration and what it detects, and sorts', async () => {
    openPage('/hosts', respond(path, { items: [calibrated, idle], next: null }));
    const row = await screen.findByRole('row', { name: /bench-01/ });
    expect(within(row).getByText('busy')).toBeTruthy();
    expect(within(row).getByText(/measuring/).textContent).toContain('1\u00a0trial queued');
    expect(within(row).getByText(/^4\sCPUs$/)).toBeTruthy();
    expect(within(row).getByText(/outdated/)).toBeTruthy();
    const detectable = await within(row).findByText('1.80 % to 6.00 %');
    await userEvent.hover(detectable);
    expect((await screen.findByRole('tooltip')).textContent).toMatch(
      /^CPU per request 1.80 % and Latency p99 6.00 %$/,
    );
    const other = screen.getByRole('row', { name: /arm-01/ });
    expect(within(other).getByText('offline')).toBeTruthy();
    expect(within(other).getByText(/worker last seen/)).toBeTruthy();
    expect(within(other).getByText('not yet')).toBeTruthy();
    const names = () => screen.getAllByRole('rowheader').map(({ textContent }) => textContent);
    await press('Name');
    expect(names()).toEqual(['arm-01', 'bench-01']);
    await press('CPUs');
    expect(names()).toEqual(['bench-01', 'arm-01']);
  });

  test('explains how a host registers', async () => {
    openPage('/hosts', respond(path, { items: [], next: null }));
    await see('No bench host yet');
  });
});
