/**
 * First-time walks from Run on First look to a shared link with an answer: one by keyboard alone,
 * and one by touch on a phone.
 */
import {
  type Browser,
  type BrowserContext,
  expect,
  type Locator,
  type Page,
  test,
} from './watched';
import { ANSWERS, FRAMEWORKS } from './first-look';
import { expectAccessible, expectNoSidewaysScroll, keepPicture, PHONE } from './looks';

/** The longest that First look takes, with its builds. */
const RUN_MS = 6 * 60_000;
const MOST_TABS = 120;
/** Words of headlines about two frameworks. */
const CONCLUSIONS = /uses? the least CPU|equivalent|cannot be told apart yet/i;

test('by keyboard: from First look to a shared link with an answer', async ({
  browser,
  baseURL,
}) => {
  test.setTimeout(RUN_MS + 60_000);
  const context = await openContext(browser, baseURL);
  const page = await context.newPage();
  await page.goto('/');
  await press(page, page.getByRole('button', { name: 'Run First look' }));
  await expect(page).toHaveURL(/\/r\//);

  await watch(page);
  await expect(page.getByText(ANSWERS).first()).toBeVisible({ timeout: RUN_MS });
  await press(page, page.getByRole('button', { name: 'Share' }));
  await press(page, page.getByRole('button', { name: 'Copy: Permalink' }));
  await expectConclusion(browser, await readClipboard(page, baseURL));
  await context.close();
});

test('on a phone: from First look to a shared link with an answer', async ({
  browser,
  baseURL,
}) => {
  test.setTimeout(RUN_MS + 60_000);
  const phone = { viewport: PHONE, hasTouch: true, isMobile: true };
  const context = await openContext(browser, baseURL, phone);
  const page = await context.newPage();
  await page.goto('/');
  await page.getByRole('button', { name: 'Run First look' }).tap();
  await expect(page).toHaveURL(/\/r\//);

  await watch(page);
  await expectNoSidewaysScroll(page, 'a live run on a phone');
  keepPicture('phone-walk-live', await page.screenshot());
  await expect(page.getByText(ANSWERS).first()).toBeVisible({ timeout: RUN_MS });
  await page.getByRole('button', { name: 'Share' }).tap();
  await expectNoSidewaysScroll(page, 'Share on a phone');
  await page.getByRole('button', { name: 'Copy: Permalink' }).tap();
  await expectConclusion(browser, await readClipboard(page, baseURL), phone);
  await context.close();
});

test('on a phone: a run is planned from scenarios to Run', async ({ browser, baseURL }) => {
  const phone = { viewport: PHONE, hasTouch: true, isMobile: true };
  const context = await openContext(browser, baseURL, phone);
  const page = await context.newPage();
  await page.goto('/runs/new');
  await expect(page.getByText('No scenario chosen')).toBeVisible();
  await page.getByRole('checkbox', { name: 'Hello', exact: true }).check();
  await page.getByRole('checkbox', { name: 'Slow upstream', exact: true }).check();
  for (const scenario of ['Hello', 'Slow upstream']) {
    await page.getByRole('checkbox', { name: `Node.js, ${scenario}`, exact: true }).check();
  }
  await page.getByRole('button', { name: 'Go net/http: toggle all scenarios' }).tap();
  const bar = page.getByRole('region', { name: 'Start the run' });
  await expect(bar).toContainText(/4.results/);
  const shared = page.getByRole('group', { name: 'All scenarios' });
  await shared.getByLabel('Duration').fill('5');
  await expect(page).toHaveURL(/hello\.duration_seconds\.5.*slow-upstream\.duration_seconds\.5/);
  await expectNoSidewaysScroll(page, 'New run with two scenarios on a phone');
  await expectAccessible(page, 'New run with two scenarios on a phone');
  keepPicture('phone-new-run', await page.screenshot({ fullPage: true }));
  await expect(bar.getByRole('button', { name: 'Run', exact: true })).toBeEnabled();
  await context.close();
});

async function openContext(
  browser: Browser,
  baseURL: string | undefined,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<BrowserContext> {
  return browser.newContext({
    ...options,
    ...(baseURL !== undefined && { baseURL }),
    permissions: ['clipboard-read', 'clipboard-write'],
  });
}

/** Moves the focus to a control by the Tab key alone, and presses Enter. */
async function press(page: Page, control: Locator): Promise<void> {
  await expect(control).toBeVisible();
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    if (await control.evaluate((element) => element === document.activeElement)) {
      await page.keyboard.press('Enter');
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key does not reach ${control.toString()}.`);
}

/** Waits until the page states when the run ends, and ranks the trials so far. */
async function watch(page: Page): Promise<void> {
  await expect(page.getByRole('progressbar', { name: 'Progress of the run' })).toBeVisible();
  await expect(page.getByText(/at most .+ left|ends in at most/).first()).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Ranking so far' })).toBeVisible({
    timeout: RUN_MS,
  });
  await expect(page.getByText(/^Provisional: /)).toBeVisible();
}

async function readClipboard(page: Page, baseURL: string | undefined): Promise<string> {
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text).toMatch(/\/r\/[0-9a-z]{10}$/);
  return new URL(new URL(text).pathname, baseURL).href;
}

/** Opens the link as its receiver does, in a new profile, and expects an answer about both frameworks. */
async function expectConclusion(
  browser: Browser,
  link: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<void> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(link);
  await expect(page.getByText(ANSWERS).first()).toBeVisible();
  const answer = page.locator('.answer');
  for (const framework of FRAMEWORKS) await expect(answer).toContainText(framework);
  // On a machine that is busy with other programs, the answer offers the run that would be usable.
  const conclusion = answer.locator('.answer-headline').filter({ hasText: CONCLUSIONS });
  const remedy = answer.getByRole('link', { name: /^Run again/ });
  await expect(conclusion.or(remedy).first()).toBeVisible();
  await expectNoSidewaysScroll(page, 'the shared link');
  await context.close();
}
