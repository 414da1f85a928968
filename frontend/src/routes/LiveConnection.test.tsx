import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { respond, server } from '@/testing/api';
import { liveRun } from '@/testing/documents/runs';
import { TestEventSource } from '@/testing/event-source';
import { openPage, press, see } from '@/testing/page';

const path = '/api/v1/runs/{run_id}';
const lost = () => screen.queryByText(/Live connection lost/);

const SECOND = {
  phase: 'measure',
  requests: 1000,
  failed: 0,
  dropped: 0,
  in_flight: 1,
  latency_p50_ms: 1,
  latency_p99_ms: 2,
  latency_max_ms: 3,
  cpu_service_seconds: 0.1,
  cpu_load_seconds: 0.1,
  memory_bytes: 1,
};

beforeEach(() => {
  TestEventSource.opened = [];
});

/** Return the event stream of the page, after it was opened. */
async function openStream(): Promise<TestEventSource> {
  openPage(`/r/${liveRun.slug}`, respond(path, liveRun));
  await screen.findByRole('progressbar', { name: 'Progress of the run' });
  const [stream] = TestEventSource.opened;
  if (stream === undefined) throw new Error('The page opened no stream.');
  act(() => stream.open());
  return stream;
}

function log(stream: TestEventSource, id: string, line: string): void {
  const trial_id = liveRun.trials[1]?.id;
  stream.send('log', id, { trial_id, name: 'service', line });
}

/** Unfold the log and return its lines. */
async function readLog(): Promise<string[]> {
  await userEvent.click(screen.getByText('Log'));
  const lines = within(await screen.findByLabelText('Log')).getAllByText(/line/);
  return lines.map((line) => line.textContent.trim());
}

test('a cut connection is shown, and resumed without a gap or a repetition', async () => {
  const stream = await openStream();
  act(() => log(stream, '5-1', 'first line'));
  await see('service: first line');
  expect(lost()).toBeNull();

  act(() => stream.cut());
  expect(lost()).toBeTruthy();

  let fetched = 0;
  server.events.on('request:start', ({ request }) => {
    fetched += Number(new URL(request.url).pathname === `/api/v1/runs/${liveRun.slug}`);
  });
  act(() => {
    stream.open();
    // The server may repeat what was sent before the cut.
    log(stream, '5-1', 'first line');
    log(stream, '5-2', 'second line');
  });
  expect(lost()).toBeNull();
  // The run may have changed meanwhile.
  await waitFor(() => expect(fetched).toBe(1));
  server.events.removeAllListeners();
  await see('service: second line');
  expect(await readLog()).toEqual(['servicefirst line', 'servicesecond line']);
  expect(TestEventSource.opened).toHaveLength(1);
});

test('a refused connection is tried again, and continues after the last known event', async () => {
  const stream = await openStream();
  act(() => {
    log(stream, '5-1', 'first line');
    stream.refuse();
  });
  expect(lost()).toBeTruthy();

  await waitFor(() => expect(TestEventSource.opened).toHaveLength(2), { timeout: 10_000 });
  const again = TestEventSource.opened[1];
  expect(again?.url).toBe(stream.url);
  act(() => {
    again?.open();
    // A new connection begins with all events.
    if (again) log(again, '5-1', 'first line');
    if (again) log(again, '6-1', 'second line');
  });
  expect(lost()).toBeNull();
  await see('service: second line');
  expect(await readLog()).toEqual(['servicefirst line', 'servicesecond line']);
});

test('the end of a run closes the stream', async () => {
  const stream = await openStream();
  act(() => stream.send('end', '', { run_id: liveRun.id, status: 'succeeded' }));
  expect(stream.readyState).toBe(TestEventSource.CLOSED);
  expect(lost()).toBeNull();
});

test('a trial that other programs disturb has a warning, and its charts can be switched off', async () => {
  const stream = await openStream();
  const running = liveRun.trials[1];
  const send = (second: number, taken_share: number) =>
    stream.send('sample', `6-${second}`, {
      ...SECOND,
      trial_id: running?.id,
      cell_id: running?.cell_id,
      second,
      taken_share,
    });
  act(() => {
    stream.send('trial', '5-9', {
      trial_id: running?.id,
      cell_id: running?.cell_id,
      repetition: 2,
      status: 'measuring',
      at: liveRun.created_at,
      stage_seconds: {},
      failure: null,
    });
    send(0, 0.02);
  });
  expect(await screen.findByRole('switch', { name: 'Charts' })).toBeTruthy();
  expect(screen.queryByText(/Other programs disturb/)).toBeNull();
  act(() => send(1, 0.6));
  expect((await screen.findByText(/Other programs disturb/)).closest('div')?.textContent).toContain(
    'They use 31 % of its CPUs.',
  );
  expect(screen.getByText('Latency p99')).toBeTruthy();
  await press('Charts', 'switch');
  expect(screen.queryByText('Latency p99')).toBeNull();
});
