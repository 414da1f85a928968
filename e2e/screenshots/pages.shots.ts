/**
 * Pictures of the pages that must answer their question on the first screen, with the example data,
 * in both sizes and themes: the first screen, and the whole page.
 */
import { expect, test } from '@playwright/test';
import { keepPicture, scrollThrough } from '../tests/looks';
import { listPages } from './pages';

const SIZES = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
};
const SCHEMES = ['light', 'dark'] as const;

test('first screens and whole pages', async ({ page }) => {
  test.setTimeout(20 * 60_000);
  const faults: string[] = [];
  page.on('pageerror', (fault) => faults.push(fault.message));
  for (const [name, path] of Object.entries(await listPages(page))) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      await page.setViewportSize(viewport);
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.goto(path);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await page.waitForLoadState('networkidle');
        keepPicture(`${name}-${size}-${colorScheme}-first`, await page.screenshot());
        await scrollThrough(page);
        // Charts further down have requested their data only now.
        await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0, {
          timeout: 60_000,
        });
        keepPicture(`${name}-${size}-${colorScheme}`, await page.screenshot({ fullPage: true }));
      }
    }
  }
  expect(faults).toEqual([]);
});
