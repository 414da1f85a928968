/** Measures the CPU time of a page that follows a run, and its heap after garbage collection. */
import { type Browser, type CDPSession, expect, test } from '@playwright/test';
import { median, readSettings, tell } from './settings';

const settings = readSettings();
const EVERY_MS = 15_000;
/** The heap of a new page still grows: by seconds, logs and compiled code. It grew more in the first three minutes than in the next ten. */
const SETTLE_MS = 180_000;
/** Several samples at the beginning and at the end, so that no single sample decides. */
const READINGS = 5;

/** How long the CPU time of the page is counted. */
const WATCH_MS = 30_000;

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

/** Return the CPU seconds of all processes of the browser so far. */
async function readCpuSeconds(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

/** Return the share of one core that the browser uses during a time. */
async function watchCpu(browser: Browser, wait: () => Promise<void>): Promise<number> {
  const [begin, cpu] = [performance.now(), await readCpuSeconds(browser)];
  await wait();
  return ((await readCpuSeconds(browser)) - cpu) / ((performance.now() - begin) / 1000);
}

test('a live page', async ({ browser }) => {
  const page = await (await browser.newContext({ baseURL: settings.live.url })).newPage();
  await page.goto(settings.live.path);
  const chart = page.getByRole('img', { name: 'Throughput, last 60 seconds' });
  await expect(chart).toBeVisible({ timeout: 120_000 });
  const needle = () => chart.getAttribute('data-points');
  const before = await needle();
  const cpuShare = await watchCpu(browser, () => page.waitForTimeout(WATCH_MS));
  expect(await needle(), 'the page follows the trial').not.toBe(before);
  const session = await page.context().newCDPSession(page);
  await page.waitForTimeout(SETTLE_MS);
  const readings: Reading[] = [];
  const end = Date.now() + settings.live.seconds * 1000;
  while (Date.now() < end || readings.length < 2 * READINGS) {
    readings.push(await read(session));
    await page.waitForTimeout(EVERY_MS);
  }
  await expect(page.getByRole('progressbar'), 'the run continues').toBeVisible();
  const middle = (part: readonly Reading[], what: keyof Reading) =>
    median(part.map((reading) => reading[what]));
  const [first, last] = [readings.slice(0, READINGS), readings.slice(-READINGS)];
  tell('live', {
    cpu_share: cpuShare,
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
