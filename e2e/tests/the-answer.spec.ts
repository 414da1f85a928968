/**
 * The answer at the top of run pages: on the first screen of a phone, without scripts, and in place
 * when the app replaces it. Runs last, because it adds runs.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type APIRequestContext, expect, type Page, test } from './watched';
import { expectAccessible, photograph, PHONE } from './looks';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MOST_SHIFT = 0.05;

interface Example {
  slug: string;
  title: string;
}

/** Loads the example runs, and stores a run of eight frameworks and three scenarios. */
async function addRuns(request: APIRequestContext): Promise<Record<string, string>> {
  const loaded = await request.put('/api/v1/examples', { timeout: 120_000 });
  expect(loaded.ok()).toBe(true);
  const { items } = (await loaded.json()) as { items: Example[] };
  const wide = execFileSync('.venv/bin/python', ['-m', 'backend.tests.wide_run'], { cwd: ROOT });
  return {
    ...Object.fromEntries(items.map(({ slug, title }) => [title, slug])),
    'eight frameworks in three scenarios': wide.toString().trim(),
  };
}

let runs: Record<string, string> = {};
test.beforeAll(async ({ request }) => {
  test.setTimeout(300_000);
  runs = await addRuns(request);
  expect(Object.keys(runs).length).toBeGreaterThanOrEqual(6);
});

/** Returns the lower edge of the answer with its first three ranks, folded entries left out. */
async function bottomOfAnswer(page: Page): Promise<number> {
  return page.evaluate(() => {
    const rows = [...document.querySelectorAll('.answer > .answer-rows > .answer-row')].slice(0, 3);
    const parts = document.querySelectorAll('.answer > :not(.answer-rows, .answer-more)');
    return Math.max(...[...parts, ...rows].map((part) => part.getBoundingClientRect().bottom));
  });
}

/** Records of a page while it loads. */
interface Vitals {
  /** How far content moves, as in Cumulative Layout Shift. */
  shifts: { value: number; what: string }[];
  /** The texts with the largest area so far, in their order. */
  largest: { text: string; isInAnswer: boolean }[];
}

async function watchVitals(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const vitals: Vitals = { shifts: [], largest: [] };
    Object.assign(window, { vitals });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number;
        sources: { node: Node | null }[];
      })[]) {
        const nodes = entry.sources.map(({ node }) => node?.textContent?.slice(0, 40));
        vitals.shifts.push({ value: entry.value, what: nodes.join(' | ') });
      }
    }).observe({ type: 'layout-shift', buffered: true });
    new PerformanceObserver((list) => {
      for (const { element } of list.getEntries() as (PerformanceEntry & {
        element: Element | null;
      })[]) {
        // An element that the app has replaced since was part of the page of the server.
        const isInAnswer = element === null || element.closest('.answer') !== null;
        vitals.largest.push({ text: element?.textContent ?? '', isInAnswer });
      }
    }).observe({ type: 'largest-contentful-paint', buffered: true });
  });
}

async function readVitals(page: Page): Promise<Vitals> {
  return page.evaluate(() => (window as unknown as { vitals: Vitals }).vitals);
}

test('the answer and three ranks fit on the first screen of a phone', async ({ page }) => {
  await page.setViewportSize(PHONE);
  for (const [title, slug] of Object.entries(runs)) {
    await page.goto(`/r/${slug}`);
    await expect(page.getByRole('button', { name: 'Export, reproduce, compare' })).toBeVisible();
    await page.evaluate(() => document.fonts.ready);
    expect(await bottomOfAnswer(page), title).toBeLessThanOrEqual(PHONE.height);
    await expect(page.locator('.answer-headline'), title).toBeInViewport({ ratio: 1 });
  }
});

for (const [size, viewport] of Object.entries({
  phone: PHONE,
  desktop: { width: 1440, height: 900 },
})) {
  test(`a run page paints its answer first, and nothing moves, on a ${size}`, async ({ page }) => {
    await page.setViewportSize(viewport);
    await watchVitals(page);
    for (const [title, slug] of Object.entries(runs)) {
      await page.goto(`/r/${slug}`);
      await expect(page.getByRole('heading', { name: 'Environment' })).toBeVisible();
      await page.waitForLoadState('networkidle');
      const { shifts, largest } = await readVitals(page);
      const sum = shifts.reduce((total, { value }) => total + value, 0);
      expect(sum, `${title}: ${JSON.stringify(shifts)}`).toBeLessThanOrEqual(MOST_SHIFT);
      const late = largest.filter(({ isInAnswer }) => !isInAnswer);
      expect(late, `${title}: the answer has the largest text of the first screen`).toEqual([]);
    }
  });
}

test('the answer is readable without scripts, and the app shows the same', async ({ browser }) => {
  const [silent, scripted] = await Promise.all([
    browser.newContext({ javaScriptEnabled: false, colorScheme: 'dark' }),
    browser.newContext({ colorScheme: 'dark' }),
  ]);
  for (const [title, slug] of Object.entries(runs)) {
    const [before, after] = await Promise.all([silent.newPage(), scripted.newPage()]);
    await before.goto(`/r/${slug}`);
    await after.goto(`/r/${slug}`);
    await expect(after.getByRole('button', { name: 'Share' })).toBeVisible();
    for (const part of ['.answer-headline', '.answer-facts', '.answer-row', '.answer-line']) {
      const texts = await before.locator(part).allTextContents();
      const shown = await after.locator(part).allTextContents();
      const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
      expect(shown.map(plain), `${title}: ${part}`).toEqual(texts.map(plain));
    }
    await expect(before.locator('body')).toHaveCSS('background-color', 'rgb(15, 18, 20)');
    await Promise.all([before.close(), after.close()]);
  }
  await Promise.all([silent.close(), scripted.close()]);
});

test('a run page loads no data of closed sections', async ({ page }) => {
  const asked: string[] = [];
  page.on('request', (sent) => asked.push(new URL(sent.url()).pathname));
  const [slug] = Object.values(runs);
  await page.goto(`/r/${slug ?? ''}`);
  await expect(page.getByRole('heading', { name: 'Environment' })).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(asked.filter((path) => /\/trials\/[^/]+$/.test(path))).toEqual([]);
  await page.getByRole('heading', { name: 'Evidence' }).click();
  await expect
    .poll(() => asked.filter((path) => /\/trials\/[^/]+$/.test(path)).length)
    .toBeGreaterThan(0);
});

test('the menu of a phone leads to a section while charts above it still load', async ({
  page,
}) => {
  await page.setViewportSize(PHONE);
  for (const [title, slug] of Object.entries(runs)) {
    await page.goto(`/r/${slug}`);
    await page.getByRole('button', { name: 'On this page' }).click();
    await page.getByRole('menuitem', { name: 'Trials' }).click();
    await page.waitForLoadState('networkidle');
    const table = page.getByRole('table', { name: 'Trials' });
    await expect(table, title).toBeInViewport();
    // The section is in the upper half, unless the page ends before.
    await expect
      .poll(async () => (await table.boundingBox())?.y, { message: title })
      .toBeLessThan(PHONE.height / 2);
  }
});

test('run pages of every kind are accessible', async ({ page }) => {
  for (const [title, slug] of Object.entries(runs)) {
    await page.goto(`/r/${slug}`);
    await expect(page.getByRole('heading', { name: 'Environment' })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await expectAccessible(page, title);
    await photograph(page, `answer-${slug}`);
  }
});
