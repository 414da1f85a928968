import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { respond, server } from '@/testing/api';
import { liveRun } from '@/testing/documents/runs';
import { TestEventSource } from '@/testing/event-source';
import { openPage } from '@/testing/page';

const path = '/api/v1/runs/{run_id}';
const lost = () => screen.queryByText(/Live connection lost/);

beforeEach(() => {
  TestEventSource.opened = [];
});

/** Return the event stream of the page, after it was opened. */
async function openStream(): Promise<TestEventSource> {
  openPage(`/runs/${liveRun.slug}`, respond(path, liveRun));
  await screen.findByRole('progressbar', { name: 'Progress of the run' });
  const [stream] = TestEventSource.opened;
  if (stream === undefined) throw new Error('The page opened no stream.');
  act(() => {
    stream.open();
  });
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
  act(() => {
    log(stream, '5-1', 'first line');
  });
  expect(await screen.findByText('service: first line')).toBeTruthy();
  expect(lost()).toBeNull();

  act(() => {
    stream.cut();
  });
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
  await waitFor(() => {
    expect(fetched).toBe(1);
  });
  server.events.removeAllListeners();
  expect(await screen.findByText('service: second line')).toBeTruthy();
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

  await waitFor(
    () => {
      expect(TestEventSource.opened).toHaveLength(2);
    },
    { timeout: 10_000 },
  );
  const again = TestEventSource.opened[1];
  expect(again?.url).toBe(stream.url);
  act(() => {
    again?.open();
    // A new connection begins with all events.
    if (again) log(again, '5-1', 'first line');
    if (again) log(again, '6-1', 'second line');
  });
  expect(lost()).toBeNull();
  expect(await screen.findByText('service: second line')).toBeTruthy();
  expect(await readLog()).toEqual(['servicefirst line', 'servicesecond line']);
});

test('the end of a run closes the stream', async () => {
  const stream = await openStream();
  act(() => {
    stream.send('end', '', { run_id: liveRun.id, status: 'succeeded' });
  });
  expect(stream.readyState).toBe(TestEventSource.CLOSED);
  expect(lost()).toBeNull();
});
