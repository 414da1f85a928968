import { screen, within } from '@testing-library/react';
import type { RequestHandler } from 'msw';
import { describe, expect, test } from 'vitest';
import { refuse, respond } from '@/testing/api';
import { calibration, health, host } from '@/testing/documents/hosts';
import { openPage, see } from '@/testing/page';
import { testMissing, testWaitingAndErrors } from '@/testing/page-states';

describe('the page of a host', () => {
  const path = '/api/v1/hosts/{name}';
  testWaitingAndErrors('/hosts/bench-01', path, host, 'bench-01');
  testMissing('/hosts/nowhere', path, /There is no host nowhere/);

  const openHost = (part: Partial<typeof host>, ...handlers: RequestHandler[]) =>
    openPage('/hosts/bench-01', respond(path, { ...host, ...part }), ...handlers);

  test('shows what two load generators measured, and their disagreement', async () => {
    openHost({ calibration });
    const table = await screen.findByRole('table', { name: 'Two load generators' });
    const row = await within(table).findByRole('row', { name: /Latency p50, fixed rate/ });
    expect(row.textContent).toContain('1.04×');
    expect(row.textContent).toContain('5.20\u202fms');
    expect(row.textContent).toContain('5\u202fms');
    expect(row.textContent).toContain('1.04 [1.01, 1.07]');
    expect(row.textContent).toContain('k6 v2.1.0');
  });

  test('asks to calibrate again if the calibration used one load generator', async () => {
    openHost({ calibration: { ...calibration, disagreements: null } });
    await see(/used only one load generator/);
    expect(screen.queryByRole('table', { name: 'Two load generators' })).toBeNull();
  });

  test('lists the frameworks that cannot run there, by slug until their names are known', async () => {
    const unknown = refuse('/api/v1/frameworks', { status: 503 });
    openHost({ unavailable: { node: 'Node 22 is missing.' } }, unknown);
    await see('Node 22 is missing.');
    expect(screen.getByText('node')).toBeTruthy();
  });

  test('shows the cores of each role, and what they do to the numbers', async () => {
    const cpus = {
      service: [0, 4],
      load: [1, 5],
      backing: [1, 5],
      layout: { service: '1 core with 2 threads' },
      sharing: ['The service has one core.'],
    };
    const fingerprint = { cpu_layout: cpus.layout, cpu_notes: cpus.sharing };
    openHost({ cpus, fingerprint });
    await see('CPU 0, 4 (1 core with 2 threads)');
    expect(screen.getAllByText('CPU 1, 5')).toHaveLength(2);
    // Once, and not in the fingerprint again.
    expect(screen.getAllByText('The service has one core.')).toHaveLength(1);
  });

  test('warns about missing isolation and limits, and about entries that are not valid', async () => {
    openHost({
      isolation: 'none',
      uses_host_network_for_builds: true,
      memory_fault: 'the worker may not make control groups',
      faults: ['The scenario hello is not valid: name is required.'],
    });
    await see('not isolated');
    await see(/not limited, because the worker may not make control groups\./);
    await see(/The scenario hello is not valid/);
    expect(screen.getByText('Test CPU')).toBeTruthy();
    expect(screen.getByRole('heading', { name: 'Fingerprint' })).toBeTruthy();
    expect(screen.getByText(/services can read the files/)).toBeTruthy();
    expect(screen.getByText(/Builds use the network of this host/)).toBeTruthy();
  });

  test('warns about a host whose builds reach its addresses', async () => {
    openHost({ build_network: 'bridge' });
    await see('other machines, and this host at its addresses');
    expect(screen.getByText(/or set TACHO_BUILD_PROXY/)).toBeTruthy();
  });

  test('shows a stopped part of Tacho', async () => {
    const part = {
      name: 'worker',
      status: 'down' as const,
      restarts: 3,
      reason: 'exited with code 1',
      failed_at: '2026-11-23T02:14:35Z',
      next_try_at: '2026-11-23T02:15:35Z',
      last_lines: ['out of memory'],
    };
    openPage('/hosts/bench-01', respond('/api/v1/health', { ...health, parts: [part] }));
    await see(/The worker keeps stopping/);
    expect(screen.getByText('out of memory')).toBeTruthy();
  });
});
