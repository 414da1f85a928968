import { defineConfig } from '@playwright/test';

/** Tests the real stack at TACHO_URL with the Chromium of this machine. Nothing is mocked. */
export default defineConfig({
  testDir: './tests',
  // With a token, visitors cannot start runs, so only the tests that sign in are useful.
  ...(process.env.TACHO_TOKEN ? { testMatch: 'session.spec.ts' } : {}),
  // Generous, because the same machine also builds images and measures.
  timeout: 300_000,
  expect: { timeout: 20_000 },
  // One worker, because a bench host measures one trial at a time and pages show its activity.
  workers: 1,
  fullyParallel: false,
  forbidOnly: process.env.CI !== undefined,
  // A test that passes only the second time is reported as flaky.
  retries: process.env.CI === undefined ? 0 : 1,
  reporter: [['list']],
  use: {
    baseURL: process.env.TACHO_URL ?? 'http://127.0.0.1:8000',
    trace: 'retain-on-failure',
    // Without a graphics processor, each frame of a movement takes the CPU time of trials.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-background-networking'],
    },
  },
});
