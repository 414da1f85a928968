/** The page of a load in steps that ends with a failed step, and of its warm-up. */
import { expect, test } from './watched';
import { expectAccessible, photograph } from './looks';

test('a run in steps is planned, run and read', async ({ page }) => {
  test.setTimeout(180_000);
  await page.goto(
    '/runs/new?cells=hello.node&profile=hello.steps-quick&set=hello.first_rps.100,hello.step_rps.100,hello.steps.3,hello.step_seconds.1,hello.warm_up_seconds.1&trials=1',
  );
  await expect(page.getByRole('textbox', { name: 'Steps', exact: true })).toHaveValue(/3/);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page).toHaveURL(/\/r\//);

  const latency = page.getByRole('figure', { name: 'Latency against rate' });
  await expect(latency).toBeVisible({ timeout: 120_000 });
  // Charts are drawn when they come near the window.
  await latency.scrollIntoViewIfNeeded();
  await expect(latency.locator('path.recharts-line-curve').first()).toHaveAttribute('d', /L/);
  await page.getByRole('heading', { name: 'Evidence' }).click();
  await expect(page.getByRole('region', { name: 'Evidence' })).toContainText(
    'took 1 s, not tested',
  );
  const success = page.getByRole('figure', { name: 'Success against rate' });
  await success.getByRole('button', { name: /show the table/ }).click();
  await expect(success.getByRole('row').nth(1)).toContainText('100');
  await expectAccessible(page, 'Run in steps');
  await photograph(page, 'run-steps');
});
