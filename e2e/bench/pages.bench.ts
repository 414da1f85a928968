/** Measures how fast pages of a large installation load, and how fast they respond to input. */
import { type Browser, type Page, expect, test } from '@playwright/test';
import { open, RESULTS } from './load';
import { median, type PageName, readSettings, tell } from './settings';
import { copyPage, serveCopy, type StaticCopy } from './static-copy';
import { keepVitals, readLcp, takeSlowest } from './vitals';

const settings = readSettings();
/** The pause between two presses, in which the effects of the first end. */
const PAUSE_MS = 600;

test('scripts of a permalink', async ({ browser }) => {
  const figures: Record<string, { initial: number; all: number }> = {};
  for (const coding of ['br', 'gzip']) {
    const { page, scripts, shownAt } = await open(browser, settings.permalink, RESULTS.run, {
      coding,
    });
    figures[coding] = { initial: scripts.bytes(shownAt), all: scripts.bytes() };
    await page.context().close();
  }
  tell('scripts', figures);
});

test('permalink next to a static page', async ({ browser }) => {
  const first = await open(browser, settings.permalink, RESULTS.run);
  const copy = await serveCopy(await copyPage(first.page), settings.url);
  await first.page.context().close();
  const [pages, copies]: [number[], number[]] = [[], []];
  let largest = '';
  // In turns, so that both meet the same speed of the machine.
  for (let load = 0; load < settings.loads; load += 1) {
    const { page } = await open(browser, settings.permalink, RESULTS.run);
    const { lcp, what } = await readLcp(page);
    pages.push(lcp);
    largest = what;
    await page.context().close();
    copies.push(await paintCopy(browser, copy));
  }
  copy.close();
  tell('permalink', { lcp_ms: median(pages), static_lcp_ms: median(copies), largest });
});

/** Returns the milliseconds to the largest paint of a static page. */
async function paintCopy(browser: Browser, copy: StaticCopy): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await keepVitals(page, '');
  await page.goto(copy.url, { waitUntil: 'networkidle' });
  const { lcp } = await readLcp(page);
  await context.close();
  return lcp;
}

/** The presses on each page, by name. Each waits until the page is idle. */
const PRESSES: Record<PageName, Record<string, (page: Page) => Promise<void>>> = {
  run: {
    'choose a metric': (page) => choose(page, 'Metric', 'Latency p99'),
    'choose a baseline': (page) => choose(page, 'Baseline', null),
    isolate: (page) =>
      page
        .getByRole('button', { name: /^Show only/ })
        .first()
        .click(),
    'hide the warm-up': (page) => page.getByRole('switch', { name: 'Warm-up' }).click(),
    'chart as table': (page) =>
      page.getByRole('button', { name: 'show the table' }).first().click(),
  },
  compare: {
    'choose a metric': (page) => choose(page, 'Metric', 'Latency p99'),
    'choose a baseline': (page) => choose(page, 'Baseline', null),
    'press a metric': (page) =>
      page.getByRole('group', { name: 'All metrics' }).getByRole('button').nth(1).click(),
    'chart as table': (page) =>
      page.getByRole('button', { name: 'show the table' }).first().click(),
  },
  history: {
    'turn the sensitivity': async (page) => {
      await page.getByRole('slider', { name: 'Sensitivity' }).focus();
      for (let step = 0; step < 4; step += 1) {
        await page.keyboard.press('ArrowRight');
        await page.waitForTimeout(100);
      }
    },
    'choose a metric': (page) => choose(page, 'Metric', 'Latency p99'),
    'tick a run': (page) => page.getByRole('checkbox').first().click(),
    'chart as table': (page) =>
      page.getByRole('button', { name: 'show the table' }).first().click(),
  },
  leaderboard: {
    'choose a metric': (page) => choose(page, 'Metric', 'Latency p99'),
    'tick a result': (page) => page.getByRole('checkbox').first().click(),
  },
};

/** Two presses: the field, then an option that is not selected. */
async function choose(page: Page, label: string, option: string | null): Promise<void> {
  await page.getByRole('combobox', { name: label }).or(page.getByLabel(label)).first().click();
  const options = page.getByRole('option');
  const wanted = option === null ? options.last() : options.filter({ hasText: option }).first();
  await wanted.click();
}

for (const [name, path] of Object.entries(settings.pages) as [PageName, string][]) {
  test(`${name} page`, async ({ browser }) => {
    const [lcps, showns, slowest]: [number[], number[], number[]] = [[], [], []];
    const copies: number[] = [];
    let copy: StaticCopy | null = null;
    const presses: Record<string, number[]> = {};
    let largest = '';
    for (let load = 0; load < settings.loads; load += 1) {
      const { page, shown } = await open(browser, path, RESULTS[name]);
      const { lcp, what } = await readLcp(page);
      expect(lcp, 'a largest paint').toBeGreaterThan(0);
      lcps.push(lcp);
      showns.push(shown);
      largest = what;
      copy ??= await serveCopy(await copyPage(page), settings.url);
      const own: number[] = [];
      for (const [press, act] of Object.entries(PRESSES[name])) {
        await act(page);
        await page.waitForTimeout(PAUSE_MS);
        const { duration } = await takeSlowest(page);
        (presses[press] ??= []).push(duration);
        own.push(duration);
      }
      slowest.push(Math.max(...own));
      await page.context().close();
      // In turns, so that both meet the same speed of the machine.
      copies.push(await paintCopy(browser, copy));
    }
    copy?.close();
    tell(name, {
      lcp_ms: median(lcps),
      static_lcp_ms: median(copies),
      lcp_worst_ms: Math.max(...lcps),
      largest,
      shown_ms: median(showns),
      inp_ms: median(slowest),
      presses: Object.fromEntries(
        Object.entries(presses).map(([press, times]) => [press, median(times)]),
      ),
    });
  });
}
