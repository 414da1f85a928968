import { defineConfig } from '@playwright/test';
import tests from './playwright.config';

const launch = tests.use?.launchOptions;

/** What `make bench-ui` drives, see worker/benchmarks/ui.py: it says where, and for how long. */
export default defineConfig(tests, {
  testDir: './bench',
  testMatch: '*.bench.ts',
  timeout: 3_600_000,
  retries: 0,
  use: {
    actionTimeout: 20_000,
    trace: 'off',
    // A window as large as the page, 1360 × 900 beneath its bar. Of a page larger than its window the
    // browser shows what lies within the window only: what changes below it counts as answered
    // when something above changes too.
    viewport: null,
    launchOptions: { ...launch, args: [...(launch?.args ?? []), '--window-size=1360,987'] },
  },
});
