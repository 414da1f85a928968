import { expect, test } from './watched';
import { expectAccessible, expectNoSidewaysScroll, PHONE, photograph } from './looks';

test('example data is shown next to the published numbers, and can be removed', async ({
  page,
}) => {
  await page.goto('/studies');
  await expect(page.getByRole('heading', { level: 2 })).toHaveCount(6);
  await expectAccessible(page, 'the studies');
  await page.getByRole('button', { name: 'Load example data' }).click();
  // Loading took 23 s on a busy machine with two CPUs.
  await expect(page.getByRole('button', { name: 'Example data loaded' })).toBeVisible({
    timeout: 90_000,
  });
  await photograph(page, 'studies');

  await page.getByRole('link', { name: 'Flavours of frameworks under wrk' }).click();
  const table = page.getByRole('group', { name: 'Requests a second, GET' });
  await expect(table.getByText('6000', { exact: true })).toBeVisible();
  await expect(table.getByText(/×$/).first()).toBeVisible();
  await expect(page.getByText('example data', { exact: true })).toBeVisible();
  await photograph(page, 'study-with-example');
  await expectAccessible(page, 'a study with an example run');
  const address = page.url();
  await page.reload();
  await expect(table.getByText(/×$/).first()).toBeVisible();
  expect(page.url()).toBe(address);

  // Its tables are the widest, and much of their text is for screen readers only.
  await page.setViewportSize(PHONE);
  await page.goto('/studies/jvm-backend-services');
  await expect(page.getByText('example data', { exact: true })).toBeVisible();
  await expect(page.getByRole('table', { name: 'Claims' })).toBeVisible();
  await expectNoSidewaysScroll(page, 'a study with wide tables on a phone');

  await page.getByRole('link', { name: 'quick reproduction' }).first().click();
  await page.getByRole('heading', { name: 'Trials', exact: true }).click();
  await page
    .getByRole('button', { name: /^Logs of/ })
    .first()
    .click();
  await expect(page.getByText('This trial has no logs.')).toBeVisible();

  await page.goto('/studies');
  await page.getByRole('button', { name: 'Remove example data' }).click();
  await expect(page.getByRole('button', { name: 'Load example data' })).toBeVisible();
});

test('a study that was never reproduced shows the published numbers', async ({ page }) => {
  await page.goto('/studies/jvm-backend-services');
  await expect(page.getByText('Not reproduced here yet', { exact: false })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Reproduce quick' })).toBeVisible();
  await photograph(page, 'study-empty');
  await expectAccessible(page, 'a study without a reproduction');
});

test('a study fills the form of New run', async ({ page }) => {
  await page.goto('/runs/new');
  await page.getByRole('button', { name: 'Flavours of frameworks under wrk' }).click();
  await expect(page).toHaveURL(/cells=articles\.quarkus-rest/);
  await expect(page).toHaveURL(/size_bytes\.50:500000/);
});
