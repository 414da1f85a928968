/** The page /api/docs, in both themes, loads nothing from other sites. */
import { expect, test } from './watched';
import { keepPicture } from './looks';

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the API is described with files of this Tacho (${colorScheme})`, async ({
    page,
    baseURL,
  }) => {
    const complaints: string[] = [];
    const requested: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (fault) => complaints.push(fault.message));
    page.on('request', (request) => requested.push(request.url()));
    await page.emulateMedia({ colorScheme });

    const response = await page.goto('/api/docs');
    expect(response?.headers()['content-security-policy']).toContain("default-src 'self'");
    // Swagger UI renders only the operations near the visible part.
    const operation = page.locator('.opblock-summary', { hasText: '/api/v1/health' }).first();
    await expect(operation).toBeVisible();
    await operation.click();
    await expect(page.getByRole('button', { name: 'Try it out' })).toBeVisible();

    const isDark = colorScheme === 'dark';
    expect(await page.locator('html.dark-mode').count()).toBe(isDark ? 1 : 0);
    keepPicture(`api-docs-${colorScheme}`, await page.screenshot());
    const own = (url: string) => url.startsWith(`${baseURL}/`) || url.startsWith('data:');
    expect(requested.filter((url) => !own(url))).toEqual([]);
    expect(complaints).toEqual([]);
  });
}
