/** The pictures of README.md: pages with the example data, light and dark, in docs/pictures/. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, type Page, test } from '@playwright/test';
import { listReadmePages } from './pages';

const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const SCHEMES = ['light', 'dark'] as const;
/** Of all pictures, so that a clone stays small. */
const MOST_BYTES = 400_000;
const QUALITY = 80;

/** Returns the visible part of the page as WebP, which is a third of a PNG. */
async function take(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: QUALITY,
  });
  await session.detach();
  return Buffer.from(data, 'base64');
}

test('pictures of README.md', async ({ page }) => {
  await page.setViewportSize({ width: 1200, height: 800 });
  // Pages show how long ago something was.
  await page.clock.setFixedTime(new Date('2026-12-01T12:00:00Z'));
  let bytes = 0;
  for (const [picture, path] of Object.entries(await listReadmePages(page))) {
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await page.waitForLoadState('networkidle');
      await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
      const content = await take(page);
      bytes += content.length;
      writeFileSync(`${FOLDER}${picture}-${colorScheme}.webp`, content);
    }
  }
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
});
