/** Takes screenshots in all sizes and themes as CI artefacts, and checks accessibility. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const FOLDER = fileURLToPath(new URL('../../.ci/artefacts/screenshots/', import.meta.url));

const SIZES = {
  desktop: { width: 1360, height: 900 },
  phone: { width: 390, height: 844 },
} as const;
const SCHEMES = ['light', 'dark'] as const;

export const PHONE = SIZES.phone;

/**
 * Takes pictures of the current page in both sizes and both themes, and leaves it in desktop size
 * and the light theme.
 */
export async function photograph(page: Page, name: string): Promise<void> {
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    await scrollThrough(page);
    for (const colorScheme of SCHEMES) {
      await dress(page, colorScheme);
      const path = `${FOLDER}${name}-${size}-${colorScheme}.png`;
      await page.screenshot({ path, fullPage: true });
    }
    await expectNoSidewaysScroll(page, `${name} on a ${size}`);
  }
  await page.setViewportSize(SIZES.desktop);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
}

/**
 * Scrolls through the page, because charts are drawn when they are near the window, and back to the
 * top.
 */
export async function scrollThrough(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let y = 0; y < document.documentElement.scrollHeight; y += 400) {
      window.scrollTo(0, y);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    window.scrollTo(0, 0);
  });
}

/** Stores a picture that is not a screenshot with the others. */
export function keepPicture(name: string, content: Buffer): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}${name}.png`, content);
}

/** Sets the theme of the system and waits until the page uses it. */
async function dress(page: Page, colorScheme: (typeof SCHEMES)[number]): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme);
}

/** Expects that nothing on the page is wider than the window. */
export async function expectNoSidewaysScroll(page: Page, what: string): Promise<void> {
  const excess = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(excess, `${what} scrolls sideways by ${excess} px`).toBeLessThanOrEqual(0);
}

/** Expects no violation in either theme, however slight. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await dress(page, colorScheme);
    const { violations } = await new AxeBuilder({ page }).analyze();
    const found = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`,
    );
    expect(found, `${what}, ${colorScheme}`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
}
