/**
 * Navigation: the command palette, the panel of pages on a phone, and addresses that do not exist.
 */
import { expect, test } from './watched';
import { expectAccessible, photograph } from './looks';

const PHONE = { width: 390, height: 844 };

test('the palette opens any page by a few letters, and its code is loaded on first use', async ({
  page,
}) => {
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  expect(fetched.filter((path) => /\/Palette[-.]/.test(path))).toEqual([]);

  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: /^Search pages/ });
  await expect(field).toBeFocused();
  await expect(page.getByRole('group', { name: 'Frameworks' })).toBeVisible();
  await photograph(page, 'palette');
  await field.fill('fastapi');
  const found = page
    .getByRole('group', { name: 'Frameworks' })
    .getByRole('option', { name: /^FastAPI Python/ });
  await expect(found).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('option', { name: /^New run of FastAPI on/ })).toBeVisible();
  await photograph(page, 'palette-found');
  await expectAccessible(page, 'the palette');
  await field.press('Enter');
  await expect(page).toHaveURL(/\/frameworks\/fastapi$/);
  await expect(field).toBeHidden();

  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await field.fill('new run hello');
  await field.press('ArrowDown');
  await field.press('ArrowUp');
  await field.press('Enter');
  await expect(page).toHaveURL(/\/runs\/new\?cells=hello\./);

  await page.keyboard.press('Control+k');
  await field.fill('p99');
  await field.press('Enter');
  await expect(page).toHaveURL(/\/leaderboard\?metric=latency_p99_ms/);

  await page.keyboard.press('Control+k');
  await field.fill('dark');
  await field.press('Enter');
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await expect(page).toHaveURL(/\/leaderboard\?metric=latency_p99_ms/);

  await page.keyboard.press('Control+k');
  await field.fill('zzzzzz');
  await expect(page.getByText('No results for “zzzzzz”')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(field).toBeHidden();
});

test('on a phone the pages open in a panel, and close again', async ({ page }) => {
  await page.setViewportSize(PHONE);
  await page.goto('/');
  const button = page.getByRole('button', { name: 'Pages' });
  const link = page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('link', { name: 'Studies' });
  await expect(link).toBeHidden();
  await button.click();
  await expect(link).toBeVisible();
  await expect(button).toHaveAttribute('aria-expanded', 'true');
  await expectAccessible(page, 'the open panel of pages');
  await page.keyboard.press('Escape');
  await expect(link).toBeHidden();
  await expect(button).toBeFocused();
  await button.press('Enter');
  await link.click();
  await expect(page).toHaveURL(/\/studies$/);
  await expect(link).toBeHidden();
  await button.click();
  // Outside the panel.
  await page.mouse.click(PHONE.width / 2, PHONE.height - 20);
  await expect(link).toBeHidden();
});

test('the header shows its pages in a row if there is space, and never scrolls', async ({
  page,
}) => {
  await page.goto('/verdicts');
  for (const width of [320, 390, 768, 1024, 1100, 1250, 1360]) {
    await page.setViewportSize({ width, height: 800 });
    const excess = await page
      .getByRole('banner')
      .evaluate((header) => header.scrollWidth - header.clientWidth);
    expect(excess, `header at ${width} px`).toBeLessThanOrEqual(0);
  }
});

const NOWHERE = {
  run: ['/r/k3v9q2mx4d', /There is no run k3v9q2mx4d/],
  framework: ['/frameworks/nodejs', /There is no framework nodejs/],
  scenario: ['/scenarios/helo', /There is no scenario helo/],
  study: ['/studies/jvm-backend-servces', /There is no study jvm-backend-servces/],
  host: ['/hosts/elsewhere', /There is no host elsewhere/],
  snapshot: [`/c/${'0'.repeat(64)}`, /There is no snapshot 000/],
  change: ['/changes/01a1fee4-d5b3-77f1-a207-ce986863506b', /There is no change 01a1fee4/],
  schedule: ['/schedules/01a1fee4-d5b3-77f1-a207-ce986863506b', /There is no schedule 01a1fee4/],
} as const;

test('a missing page is named, with links to continue', async ({ page }) => {
  for (const [noun, [path, title]] of Object.entries(NOWHERE)) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 }), noun).toHaveText(title);
    await expect(page.getByRole('button', { name: 'Search Tacho' })).toBeVisible();
  }
  await page.goto('/frameworks/nodejs');
  const near = page.getByRole('region', { name: 'Did you mean' });
  await expect(near.getByRole('link', { name: 'Node.js', exact: true })).toBeVisible();
  await expectAccessible(page, 'a framework that does not exist');
  await photograph(page, 'missing-framework');
  await near.getByRole('link', { name: 'Node.js', exact: true }).click();
  await expect(page).toHaveURL(/\/frameworks\/node$/);

  await page.goto('/leaderbord');
  await page
    .getByRole('region', { name: 'Did you mean' })
    .getByRole('link', { name: 'Leaderboard' })
    .click();
  await expect(page).toHaveURL(/\/leaderboard/);
});
