import { defineConfig } from '@playwright/test';

/** Drives the real stack at TACHO_URL with the Chromium of this machine; nothing is mocked. */
export default defineConfig({
  testDir: './tests',
  // With a token a visitor may not start runs, so only the tests that sign in make sense.
  ...(process.env.TACHO_TOKEN ? { testMatch: 'session.spec.ts' } : {}),
  // Generous: the machine under test is also the one that builds images and measures.
  timeout: 300_000,
  expect: { timeout: 20_000 },
  // One bench host measures one trial at a time, and the pages tell what it is doing.
  workers: 1,
  fullyParallel: false,
  forbidOnly: process.env.CI !== undefined,
  // What passes only the second time is told as flaky.
  retries: process.env.CI === undefined ? 0 : 1,
  reporter: [['list']],
  use: {
    baseURL: process.env.TACHO_URL ?? 'http://127.0.0.1:8000',
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-background-networking'],
    },
  },
});
