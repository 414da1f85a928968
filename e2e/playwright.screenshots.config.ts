import { defineConfig } from '@playwright/test';
import base from './playwright.config';

/** Takes pictures of the first screens for people who review the design; see `make screenshots`. */
export default defineConfig({ ...base, testDir: './screenshots', testMatch: '*.shots.ts' });
