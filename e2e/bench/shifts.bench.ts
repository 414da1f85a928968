/** Measures how far content moves while a page loads and is scrolled to its end, on both widths. */
import { expect, type Page, test } from '@playwright/test';
import { open, RESULTS } from './load';
import { readSettings, tell } from './settings';
import { readShift } from './vitals';

const settings = readSettings();
const LOADS = 2;
/** A slow browser draws a chart long after its place is visible. */
const SLOWDOWN = 6;
const SIZES = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
} as const;
const PAGES = {
  permalink: [settings.permalink, RESULTS.run],
  run: [settings.pages.run, RESULTS.run],
  compare: [settings.pages.compare, RESULTS.compare],
  history: [settings.pages.history, RESULTS.history],
  leaderboard: [settings.pages.leaderboard, RESULTS.leaderboard],
  home: ['/', 'Latest runs'],
  study: ['/studies/jvm-backend-services', 'Published'],
  changes: ['/changes', 'Other changes'],
  runs: ['/runs', 'Found runs'],
  hosts: ['/hosts', 'All hosts'],
} as const;

/** Scrolls to the end of a page, as fast as a hurried reader. */
async function scrollToEnd(page: Page): Promise<void> {
  await page.evaluate(
    async ({ stepPx, pauseMs }) => {
      for (let y = 0; y < document.documentElement.scrollHeight; y += stepPx) {
        window.scrollTo(0, y);
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    },
    { stepPx: 400, pauseMs: 300 },
  );
}

test('layout shift of pages', async ({ browser }) => {
  const shifts: Record<string, Record<string, number>> = {};
  for (const [name, [path, result]] of Object.entries(PAGES)) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      let worst = 0;
      for (let load = 0; load < LOADS; load += 1) {
        const { page } = await open(browser, path, result, { viewport, slowdown: SLOWDOWN });
        await scrollToEnd(page);
        await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
        worst = Math.max(worst, await readShift(page));
        await page.context().close();
      }
      shifts[name] = { ...shifts[name], [size]: worst };
    }
  }
  tell('shifts', shifts);
});
