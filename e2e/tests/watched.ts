/** The test function of all specs. A test fails if a page reports an error. */
import { type BrowserContext, expect, test as base } from '@playwright/test';

export * from '@playwright/test';

/** Refused requests are part of some tests, and the browser reports each. */
const REFUSED = /^Failed to load resource: /;
/**
 * Chromium ends requests when a network interface comes or goes, as those of containers do. The page
 * then reports a missing part, which is not its fault.
 */
const INTERRUPTED = 'net::ERR_NETWORK_CHANGED';
const MISSING_PART = /Unable to preload CSS|Failed to fetch dynamically imported module/;

function watch(context: BrowserContext, errors: string[]): void {
  let isInterrupted = false;
  const keep = (text: string) => {
    if (!(isInterrupted && MISSING_PART.test(text))) errors.push(text);
  };
  context.on('requestfailed', (request) => {
    isInterrupted ||= request.failure()?.errorText === INTERRUPTED;
  });
  context.on('weberror', (fault) => keep(fault.error().message));
  context.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && !REFUSED.test(text)) keep(text);
  });
}

export const test = base.extend<{ pageErrors: string[] }>({
  pageErrors: [
    async ({ browser }, use) => {
      const errors: string[] = [];
      const open = browser.newContext.bind(browser);
      // Also the contexts that a test opens itself.
      browser.newContext = async (options) => {
        const context = await open(options);
        watch(context, errors);
        return context;
      };
      await use(errors);
      browser.newContext = open;
      expect(errors, 'errors of pages').toEqual([]);
    },
    { auto: true },
  ],
});
