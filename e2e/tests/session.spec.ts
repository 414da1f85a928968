/**
 * An installation with a token: visitors see nothing private; members sign in and work as usual.
 */
import { readFileSync } from 'node:fs';
import { type APIRequestContext, expect, type Page, test } from './watched';
import { cancelRun } from './cancelling';
import { expectAccessible, photograph } from './looks';

const TOKEN = process.env.TACHO_TOKEN ?? '';
const COOKIE = 'tacho_session';
// One second of warm-up and ten of load: long enough to follow.
const PARAMETERS = { rate_rps: 50, warm_up_seconds: 1, duration_seconds: 10 };

test.skip(TOKEN === '', 'needs an installation with TACHO_TOKEN: make e2e starts one');

async function startPrivateRun(request: APIRequestContext, title: string): Promise<string> {
  const answer = await request.post('/api/v1/runs', {
    headers: { Authorization: `Bearer ${TOKEN}` },
    data: {
      title,
      visibility: 'private',
      trials: 1,
      cells: [{ framework: 'node', scenario: 'hello', parameters: PARAMETERS }],
    },
  });
  expect(answer.status(), await answer.text()).toBe(202);
  return ((await answer.json()) as { permalink: string }).permalink;
}

async function signIn(page: Page): Promise<void> {
  const form = page.getByRole('main');
  await form.getByLabel('Token').fill(TOKEN);
  await form.getByRole('button', { name: 'Sign in with token' }).click();
  await expect(page).not.toHaveURL(/\/sign-in/);
}

test('a member follows a private run live, exports it and opens its permalink', async ({
  page,
  request,
  context,
}) => {
  const title = 'Private matters';
  const permalink = await startPrivateRun(request, title);

  const hidden = await page.goto(permalink);
  expect(hidden?.status()).toBe(404);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('There is no run');
  await photograph(page, 'private-signed-out');
  await page.getByRole('link', { name: 'Sign in to see private runs' }).click();
  const form = page.getByRole('main');
  await form.getByLabel('Token').fill('wrong');
  await form.getByRole('button', { name: 'Sign in with token' }).click();
  await expect(form.getByText('This token is wrong.')).toBeVisible();
  await expectAccessible(page, 'sign-in page');
  await photograph(page, 'sign-in');
  const stream = page.waitForResponse((answer) => answer.url().endsWith('/events'));
  await signIn(page);

  await expect(page.locator('.answer-title', { hasText: title })).toBeVisible();
  expect((await stream).status()).toBe(200);
  const cookie = (await context.cookies()).find(({ name }) => name === COOKIE);
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
  expect(cookie?.value).not.toContain(TOKEN);
  await photograph(page, 'private-live');
  // No reload is needed, because the event stream reports the end.
  const more = page.getByRole('button', { name: 'Export, reproduce, compare' });
  await expect(more).toBeVisible({ timeout: 180_000 });

  const shown = await page.goto(permalink);
  expect(shown?.status()).toBe(200);
  await expect(page.locator('.answer-title', { hasText: title })).toBeVisible();
  await more.click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'CSV: one row per trial' }).click();
  const file = await (await download).path();
  expect(readFileSync(file, 'utf8')).toContain('node');
  await photograph(page, 'private-signed-in');

  // The link is on a page of another site, such as a chat.
  await page.goto(page.url().replace('127.0.0.1', 'localhost').replace(permalink, '/verdicts'));
  const followed = page.waitForResponse((answer) => answer.url().endsWith(permalink));
  await page.evaluate((url) => {
    window.location.href = url;
  }, new URL(permalink, process.env.TACHO_URL).href);
  expect((await followed).status()).toBe(200);

  await page.getByRole('button', { name: 'Token of this installation' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('There is no run');
  expect((await page.goto(permalink))?.status()).toBe(404);
  await expect(page.getByText(title)).toBeHidden();
});

test('a visitor signs in on the form of a run, returns to it and starts the run', async ({
  page,
}) => {
  await page.goto('/runs/new?cells=hello.node&trials=1&title=After+signing+in');
  await page.getByRole('link', { name: 'Sign in to run' }).click();
  await signIn(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.locator('.answer-title', { hasText: 'After signing in' })).toBeVisible();
  await cancelRun(page);
  await expect(page.getByText('cancelled').first()).toBeVisible({ timeout: 20_000 });
});

test('a token that an earlier version stored for scripts is removed', async ({ page }) => {
  await page.addInitScript(() => {
    window.localStorage.setItem('tacho.token', 'old');
  });
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  expect(await page.evaluate(() => window.localStorage.getItem('tacho.token'))).toBeNull();
});
