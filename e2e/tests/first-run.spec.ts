/** The path of a first-time user: choose, run, watch, read, share. */
import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { type BrowserContext, expect, type Locator, type Page, test } from './watched';
import { ANSWERS, FRAMEWORKS } from './first-look';
import { expectAccessible, keepPicture, photograph, scrollThrough } from './looks';

const TRIALS = 3;

test.describe.configure({ mode: 'serial' });

let permalink = '';

/** The actions of a visitor, as the browser recorded them. */
interface Effort {
  clicks: number;
  keys: number;
}

test('from the first page to a shared permalink: four clicks at most, nothing typed', async ({
  page: watcher,
  browser,
  baseURL,
}) => {
  test.setTimeout(8 * 60_000);
  await watcher.goto('/');
  await expect(watcher.getByRole('heading', { name: 'First look' })).toBeVisible();
  await photograph(watcher, 'overview-before');
  const context = await browser.newContext({
    ...(baseURL !== undefined && { baseURL }),
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await countEffort(context);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (fault) => faults.push(fault.message));
  const path = new Path(page);

  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'First look' })).toBeVisible();
  await path.keep('arrives');
  await page.getByRole('button', { name: 'Run First look' }).click();
  await expect(page).toHaveURL(/\/r\//);
  await path.keep('watches');

  await watcher.goto(page.url());
  await watchLive(watcher);

  // A live run has a table of the trials so far, but nothing to export.
  const more = page.getByRole('button', { name: 'Export, reproduce, compare' });
  await expect(more).toBeVisible({ timeout: 6 * 60_000 });
  await expect(page.getByRole('table').first()).toBeVisible();
  await path.keep('reads');
  await page.getByRole('button', { name: 'Share' }).click();
  await expect(page.getByRole('dialog')).toContainText('Anyone with the link can open it');
  await page.getByRole('button', { name: 'Copy: Permalink' }).click();
  await path.keep('shares');
  const shared = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  expect(shared.pathname).toMatch(/^\/r\/[0-9a-z]{10}$/);
  permalink = shared.pathname;

  const effort = await effortOf(context);
  path.finish(effort);
  expect(effort.clicks).toBeLessThanOrEqual(4);
  expect(effort.keys).toBe(0);
  expect(faults).toEqual([]);
  await context.close();
});

test('the result is readable, supported by charts, and reproducible', async ({ page }) => {
  test.skip(permalink === '', 'needs the run before');
  await page.goto(permalink.replace('/r/', '/runs/'));
  const table = page.getByRole('table').first();
  for (const framework of FRAMEWORKS) {
    const row = table.getByRole('row').filter({ hasText: framework });
    await expect(row).toContainText(/\d/);
    await expect(row).toContainText(/\[.+, .+\]/);
  }
  await expect(page.getByText(ANSWERS).first()).toBeVisible();
  await expectCharts(page);
  await expectAccessible(page, 'Finished run');
  await photograph(page, 'run-finished');

  await page.getByRole('button', { name: 'Export, reproduce, compare' }).click();
  await page.getByRole('menuitem', { name: 'Reproduce' }).click();
  await expect(page.getByRole('dialog')).toContainText('.venv/bin/tacho rerun');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.getByRole('button', { name: 'Share' }).click();
  await expectAccessible(page, 'Share');
  await page.keyboard.press('Escape');

  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: 794, height: 1123 });
  keepPicture('run-printed', await page.screenshot({ fullPage: true }));
});

test('a scenario and two frameworks are chosen on New run', async ({ page }) => {
  await page.goto('/');
  await photograph(page, 'overview');
  await expectAccessible(page, 'Overview');
  await page.getByRole('link', { name: 'New run' }).click();
  await page.getByRole('checkbox', { name: 'Hello', exact: true }).check();
  for (const framework of FRAMEWORKS) {
    await page.getByRole('checkbox', { name: `${framework}, Hello`, exact: true }).check();
  }
  await expect(page.getByRole('radio', { name: 'quick' })).toBeChecked();
  await page.getByLabel('Trials per result').fill(String(TRIALS));
  await expect(page).toHaveURL(/cells=hello\.node,hello\.go-nethttp.*trials=3/);
  await expect(page.getByRole('region', { name: 'Start the run' })).toContainText('2 results');
  await expectAccessible(page, 'New run');
  await photograph(page, 'new-run');
});

test('its permalink opens in a new browser profile', async ({ browser }) => {
  test.skip(permalink === '', 'needs the run before');
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(permalink);
  const table = page.getByRole('table').first();
  for (const framework of FRAMEWORKS) {
    await expect(table.getByRole('row').filter({ hasText: framework })).toContainText(/\d/);
  }
  await expectCharts(page);
  await expect(page.getByRole('button', { name: /Cancel run/ })).toHaveCount(0);
  await expectAccessible(page, 'Permalink');
  await photograph(page, 'permalink');
  await context.close();
});

test('a link to it shows the result, and its figures can be embedded', async ({
  page,
  request,
}) => {
  test.skip(permalink === '', 'needs the run before');
  const html = await (await request.get(permalink)).text();
  expect(html).toMatch(/property="og:image" content="[^"]+\/preview\.png"/);
  const picture = await request.get(`${permalink}/preview.png`);
  expect(picture.headers()['content-type']).toBe('image/png');
  keepPicture('link-preview', await picture.body());

  await page.goto(`/embed${permalink}/ranking`);
  for (const framework of FRAMEWORKS) {
    await expect(
      page.getByRole('table').getByRole('row').filter({ hasText: framework }),
    ).toBeVisible();
  }
  await expect(page.getByRole('link', { name: 'New run' })).toHaveCount(0);
  await expectAccessible(page, 'Embedded ranking');
  await photograph(page, 'embed');

  await page.goto(`/embed${permalink}/latency-by-percentile`);
  await expect(page.getByRole('heading', { name: 'Latency by percentile' })).toBeVisible();
  await expectAccessible(page, 'Embedded chart');
});

test('its exported file opens offline', async ({ browser, request }, testInfo) => {
  test.skip(permalink === '', 'needs the run before');
  const response = await request.get(`/api/v1/runs/${permalink.slice(3)}/export.html`);
  expect(response.headers()['content-disposition']).toContain('attachment');
  const file = testInfo.outputPath('exported.html');
  await writeFile(file, await response.body());

  const context = await browser.newContext({ offline: true });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('request', (sent) => {
    if (!/^(data|blob):/.test(sent.url()) && !sent.isNavigationRequest()) {
      problems.push(`request to ${sent.url()}`);
    }
  });
  page.on('console', (message) => problems.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  await page.goto(pathToFileURL(file).href);
  const ranking = page.getByRole('table').first();
  for (const framework of FRAMEWORKS) {
    await expect(ranking.getByRole('row').filter({ hasText: framework })).toContainText(/\d/);
  }
  await page.getByRole('combobox', { name: 'Metric' }).click();
  await page.getByRole('option', { name: 'Latency p50', exact: true }).click();
  await expect(ranking).toContainText('Latency p50');
  await expectCharts(page);
  await expect(page.getByRole('link', { name: 'Open in Tacho' })).toHaveAttribute(
    'href',
    new URL(permalink, response.url()).href,
  );
  await expectAccessible(page, 'Exported file');
  await photograph(page, 'exported-file');
  expect(problems).toEqual([]);
  await context.close();
});

test('history shows the run as a point with a link to it', async ({ page }) => {
  test.skip(permalink === '', 'needs the run before');
  await page.goto('/history?framework=node&scenario=hello&metric=latency_p99_ms');
  const points = page.getByRole('table').getByRole('link');
  await expect(points.first()).toBeVisible();
  await expectAccessible(page, 'History');
  await photograph(page, 'history');
  await points.first().click();
  await expect(page).toHaveURL(/\/r\//);
});

/**
 * Needles and charts move while a trial is measured, and the title shows the progress of the run.
 */
async function watchLive(page: Page): Promise<void> {
  const now = page.getByRole('region', { name: 'Current trial' });
  await expect(now).toBeVisible({ timeout: 180_000 });
  const chart = now.getByRole('img', { name: 'Throughput, last 60 seconds' });
  await expect.poll(() => countPoints(chart), { timeout: 120_000 }).toBeGreaterThan(1);
  const before = await countPoints(chart);
  await expect.poll(() => countPoints(chart), { timeout: 10_000 }).toBeGreaterThan(before);
  const lineBefore = await chart.locator('path[stroke]').getAttribute('d');
  await expect
    .poll(() => chart.locator('path[stroke]').getAttribute('d'), { timeout: 10_000 })
    .not.toBe(lineBefore);
  await expect(page).toHaveTitle(/^\d+ % · /);
  await expect(page.getByRole('button', { name: 'Cancel run…' })).toBeVisible();
  await photograph(page, 'run-live');
  await expectAccessible(page, 'Live run');
}

/** Points the live chart holds; 0 between two trials, when there is none. */
async function countPoints(chart: Locator): Promise<number> {
  if ((await chart.count()) === 0) return 0;
  return Number(await chart.getAttribute('data-points'));
}

async function expectCharts(page: Page): Promise<void> {
  // Charts are drawn when they come near the window.
  await scrollThrough(page);
  for (const title of ['Latency by percentile', 'Throughput over time', 'Service CPU over time']) {
    const figure = page.getByRole('figure', { name: title });
    await expect(figure).toBeVisible();
    await figure.scrollIntoViewIfNeeded();
    // A constant rate is a straight line without height, which counts as hidden.
    await expect(figure.locator('path.recharts-line-curve').first()).toHaveAttribute('d', /L/);
  }
  const figure = page.getByRole('figure', { name: 'Throughput over time' });
  await figure.getByRole('button', { name: /show the table/ }).click();
  await expect(figure.getByRole('row').nth(1)).toContainText('1');
  await figure.getByRole('button', { name: /show the chart/ }).click();
}

/** Counts the actions of a person on any page of the context, by trusted events. */
async function countEffort(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const count = (name: string) => (event: Event) => {
      if (!event.isTrusted) return;
      const before = Number(localStorage.getItem(`effort.${name}`) ?? 0);
      localStorage.setItem(`effort.${name}`, String(before + 1));
    };
    window.addEventListener('pointerdown', count('clicks'), true);
    window.addEventListener('keydown', count('keys'), true);
  });
}

async function effortOf(context: BrowserContext): Promise<Effort> {
  const { origins } = await context.storageState();
  const kept = new Map(
    origins.flatMap(({ localStorage }) => localStorage.map(({ name, value }) => [name, value])),
  );
  const read = (name: string) => Number(kept.get(`effort.${name}`) ?? 0);
  return { clicks: read('clicks'), keys: read('keys') };
}

/** Takes a picture of each step of the path, and records its duration. */
class Path {
  private readonly stations: { station: string; seconds: number }[] = [];
  private readonly begin = Date.now();

  constructor(private readonly page: Page) {}

  async keep(station: string): Promise<void> {
    this.stations.push({ station, seconds: Math.round((Date.now() - this.begin) / 1000) });
    const name = `first-time-${this.stations.length}-${station}`;
    keepPicture(name, await this.page.screenshot());
  }

  /** Writes the durations next to the pictures. */
  finish(effort: Effort): void {
    console.log(`first-time path: ${JSON.stringify({ ...effort, stations: this.stations })}`);
  }
}
