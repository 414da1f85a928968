import type { Page } from '@playwright/test';

/** Confirms to cancel the run of the page. It can be undone for ten seconds. */
export async function cancelRun(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Cancel run…' }).click();
  await page.getByRole('button', { name: 'Cancel run', exact: true }).click();
}
