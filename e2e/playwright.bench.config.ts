import { defineConfig } from '@playwright/test';
import tests from './playwright.config';

const launch = tests.use?.launchOptions;

/** The configuration of `make bench-ui`. tools/benchmarks/ui.py sets address and duration. */
export default defineConfig(tests, {
  testDir: './bench',
  testMatch: '*.bench.ts',
  timeout: 3_600_000,
  retries: 0,
  use: {
    actionTimeout: 20_000,
    trace: 'off',
    // A window as large as the page: 1360 × 900 below its toolbar. If the page were larger than the
    // window, a change below the window would count as a response as soon as something inside
    // changes.
    viewport: null,
    launchOptions: { ...launch, args: [...(launch?.args ?? []), '--window-size=1360,987'] },
  },
});
