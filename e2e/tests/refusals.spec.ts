/** Refused, cancelled and missing things are reported where the reader looks. */
import { expect, test } from './watched';
import { cancelRun } from './cancelling';
import { expectAccessible, photograph } from './looks';

test('a parameter out of bounds is marked at its field, and nothing is queued', async ({
  page,
}) => {
  await page.goto('/runs/new?cells=hello.node&set=hello.rate_rps.9999999&trials=1');
  const rate = page.getByRole('textbox', { name: 'Rate' });
  await expect(rate).toHaveValue(/9 999 999/);
  await expect(page.getByText(/Enter a whole number from 1 to/)).toBeVisible();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(rate).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByText(/is 9999999/)).toBeVisible();
  await expect(page).toHaveURL(/\/runs\/new/);
  await photograph(page, 'new-run-refused');
});

test('a number is not reset while it is typed, and its error is shown', async ({ page }) => {
  await page.goto('/runs/new?cells=hello.node');
  const trials = page.getByRole('textbox', { name: 'Trials per result' });
  await expect(page.getByText(/1 to 50\.$/)).toBeVisible();
  await trials.fill('99');
  await trials.blur();
  await expect(trials).toHaveValue('99');
  await expect(page.getByText('Enter a whole number from 1 to 50.')).toBeVisible();
  await trials.fill('');
  await trials.blur();
  await expect(trials).toHaveValue('');
  await expect(page.getByText(/The value is still 9/)).toBeVisible();
});

test('an unknown framework is left out of a run and named', async ({ page }) => {
  await page.goto('/runs/new?cells=hello.node,hello.nodee&trials=1');
  await expect(page.getByText('names nodee,')).toBeVisible();
  await expect(page.getByText(/^1\s?result ×/)).toBeVisible();
});

test('a run is cancelled from its page, after it was undone once', async ({ page }) => {
  await page.goto('/runs/new?cells=hello.node&trials=2&title=To+be+cancelled');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.locator('.answer-title', { hasText: 'To be cancelled' })).toBeVisible();
  await cancelRun(page);
  await expectAccessible(page, 'a cancellation');
  await page.getByRole('button', { name: 'Undo' }).click();
  await cancelRun(page);
  await expect(page.getByText('cancelled').first()).toBeVisible({ timeout: 20_000 });
  await expect(page.getByRole('heading', { name: 'Environment' })).toBeVisible();
});

test('a run that does not exist and a page that does not exist are reported', async ({ page }) => {
  await page.goto('/r/nosuchrun00');
  const title = page.getByRole('heading', { level: 1 });
  await expect(title).toHaveText('There is no run nosuchrun00');
  await photograph(page, 'missing-run');
  await page.goto('/no/such/page');
  await expect(title).toHaveText('Page not found');
  await expectAccessible(page, 'Not found');
  await photograph(page, 'not-found');
});

test('a server that does not respond is reported, with a button to retry', async ({ page }) => {
  for (const [name, path, call] of [
    ['schedules', '/schedules', '**/api/v1/schedules'],
    ['webhooks', '/settings/webhooks', '**/api/v1/webhooks'],
    ['changes', '/changes', '**/api/v1/incidents?*'],
  ] as const) {
    await page.route(call, (route) => route.abort());
    await page.goto(path);
    const alert = page.getByRole('main').getByRole('alert').first();
    await expect(alert).toContainText('Tacho is not responding', { timeout: 30_000 });
    await expectAccessible(page, `${name} without a server`);
    await photograph(page, `error-${name}`);
    await expect(alert.getByRole('button', { name: 'Try again' })).toBeVisible();
  }
});

test('a history without points offers the next step', async ({ page }) => {
  await page.goto('/history?framework=fastapi&scenario=slow-upstream&metric=boot_ms&host=none');
  await expect(page.getByText('No data for this metric yet')).toBeVisible();
  await photograph(page, 'empty');
});

test('the catalogue and a host can be read', async ({ page }) => {
  for (const [name, path, heading] of [
    ['frameworks', '/frameworks', 'Frameworks'],
    ['framework', '/frameworks/node', 'Node.js'],
    ['scenario', '/scenarios/hello', 'Hello'],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
    await expectAccessible(page, name);
    await photograph(page, name);
  }
  await page.goto('/hosts');
  await page.getByRole('table').getByRole('link').first().click();
  await expect(page.getByRole('heading', { name: 'Fingerprint' })).toBeVisible();
  await expectAccessible(page, 'host');
  await photograph(page, 'host');
});

test('the theme is remembered', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/');
  await page.getByRole('button', { name: 'Use the dark theme' }).click();
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await expect(page.getByRole('button', { name: 'Use the light theme' })).toBeVisible();
});
