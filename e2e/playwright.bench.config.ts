import { defineConfig } from '@playwright/test';
import tests from './playwright.config';

/** What `make bench-ui` drives, see worker/benchmarks/ui.py: it says where, and for how long. */
export default defineConfig(tests, {
  testDir: './bench',
  testMatch: '*.bench.ts',
  timeout: 3_600_000,
  retries: 0,
  use: { actionTimeout: 20_000, trace: 'off', viewport: { width: 1360, height: 900 } },
});
