/** Further pages, with what first-run has measured: in every look, and accessible. */
import { expect, test } from '@playwright/test';
import { expectAccessible, photograph } from './looks';

const PAGES = {
  leaderboard: { path: '/leaderboard?scenario=hello', heading: 'Leaderboard' },
  'compare-begun': { path: '/compare', heading: 'Compare' },
  changes: { path: '/changes', heading: 'Changes' },
  schedules: { path: '/schedules', heading: 'Schedules' },
  'schedule-new': { path: '/schedules/new?cells=hello.node&trials=1', heading: 'New schedule' },
  settings: { path: '/settings', heading: 'Settings' },
  scenario: { path: '/scenarios/chain', heading: 'Chain' },
};

for (const [name, { path, heading }] of Object.entries(PAGES)) {
  test(`${name} stands on its own`, async ({ page }) => {
    const faults: string[] = [];
    page.on('pageerror', (fault) => faults.push(fault.message));
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await photograph(page, name);
    await expectAccessible(page, name);
    expect(faults).toEqual([]);
  });
}

test('two results are compared, and the comparison is kept under its hash', async ({
  page,
  request,
}) => {
  const answer = await request.get('/api/v1/cells?scenario=hello&limit=2');
  const { items } = (await answer.json()) as { items: { cell_id: string }[] };
  expect(items.length, 'results that first-run has measured').toBe(2);
  await page.goto(`/compare?cells=${items.map((item) => item.cell_id).join(',')}`);
  await expect(page.getByRole('heading', { name: 'All metrics' })).toBeVisible();
  await photograph(page, 'compare');
  await expectAccessible(page, 'compare');
  await page.getByRole('button', { name: 'Make a permalink' }).click();
  await expect(page).toHaveURL(/\/c\/[0-9a-f]{64}/);
  await expect(page.getByRole('heading', { name: 'All metrics' })).toBeVisible();
  await photograph(page, 'compare-kept');
});
