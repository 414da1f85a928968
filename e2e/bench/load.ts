/** Opens pages of the large installation as a first-time visitor, with an empty cache. */
import type { Browser, Page, ViewportSize } from '@playwright/test';
import { Scripts } from './scripts';
import { type PageName, readSettings } from './settings';
import { keepVitals } from './vitals';

/** Words in a heading that appears with the result of each page. Any heading has no words. */
export const RESULTS: Record<PageName, string> = {
  run: 'Details and charts',
  compare: 'All metrics',
  history: 'Level shifts',
  leaderboard: '',
};

interface Load {
  page: Page;
  scripts: Scripts;
  /** Milliseconds from navigation until the result appeared. */
  shown: number;
  /** The same, since the epoch. */
  shownAt: number;
}

interface LoadOptions {
  /** The only content coding to request. Default: those of the browser. */
  coding?: string;
  /** Default: the window. */
  viewport?: ViewportSize;
  /** How many times slower the browser computes than this machine. Default: 1. */
  slowdown?: number;
}

/** Opens a page, and waits until the heading of its result is shown and the network is idle. */
export async function open(
  browser: Browser,
  path: string,
  result: string,
  { coding, viewport, slowdown = 1 }: LoadOptions = {},
): Promise<Load> {
  const baseURL = readSettings().url;
  const context = await browser.newContext({ baseURL, ...(viewport && { viewport }) });
  const page = await context.newPage();
  await keepVitals(page, result);
  const scripts = await Scripts.watch(page);
  if (slowdown > 1) {
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  }
  if (coding !== undefined) await scripts.accept(coding);
  await page.goto(path, { waitUntil: 'commit' });
  await page.waitForFunction(() => window.kept.shown > 0);
  const { shown, origin } = await page.evaluate(() => ({
    shown: window.kept.shown,
    origin: performance.timeOrigin,
  }));
  await page.waitForLoadState('networkidle');
  return { page, scripts, shown, shownAt: origin + shown };
}
