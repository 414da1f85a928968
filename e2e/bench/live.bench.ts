/** Whether a page that follows a run grows: what is left on its heap after collecting garbage. */
import { type CDPSession, expect, test } from '@playwright/test';
import { median, readAsked, tell } from './asked';

const asked = readAsked();
const EVERY_MS = 15_000;
/** A page that has just opened still fills: its seconds, its log, what the compiler keeps. */
const SETTLE_MS = 60_000;
/** Of the beginning and of the end, so that one odd moment does not decide. */
const READINGS = 5;

interface Reading {
  heap: number;
  nodes: number;
  listeners: number;
}

async function read(session: CDPSession): Promise<Reading> {
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
  return { heap: usedSize, nodes, listeners: jsEventListeners };
}

test('a live page', async ({ browser }) => {
  const page = await (await browser.newContext({ baseURL: asked.live.url })).newPage();
  await page.goto(asked.live.path);
  const chart = page.getByRole('img', { name: 'Throughput, last 60 seconds' });
  await expect(chart).toBeVisible({ timeout: 120_000 });
  const session = await page.context().newCDPSession(page);
  await page.waitForTimeout(SETTLE_MS);
  const readings: Reading[] = [];
  const end = Date.now() + asked.live.seconds * 1000;
  while (Date.now() < end || readings.length < 2 * READINGS) {
    readings.push(await read(session));
    await page.waitForTimeout(EVERY_MS);
  }
  await expect(page.getByRole('progressbar'), 'the run still goes on').toBeVisible();
  const middle = (part: readonly Reading[], what: keyof Reading) =>
    median(part.map((reading) => reading[what]));
  const [first, last] = [readings.slice(0, READINGS), readings.slice(-READINGS)];
  tell('live', {
    readings: readings.length,
    begin_bytes: middle(first, 'heap'),
    end_bytes: middle(last, 'heap'),
    most_bytes: Math.max(...readings.map((reading) => reading.heap)),
    begin_nodes: middle(first, 'nodes'),
    end_nodes: middle(last, 'nodes'),
    begin_listeners: middle(first, 'listeners'),
    end_listeners: middle(last, 'listeners'),
  });
});
