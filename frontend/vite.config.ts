import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { acyclic } from './acyclic';
import { compress } from './compress';
import { firstPaint } from './first-paint';
import { runPage } from './run-page';

const target = process.env.TACHO_URL ?? 'http://127.0.0.1:8000';
// The API only accepts changes from its own origin; Sec-Fetch-Site still reveals other sites.
const api = { target, changeOrigin: true, headers: { origin: target } };

export default defineConfig({
  plugins: [react(), firstPaint(), runPage(), acyclic(), compress()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': api, '/badge': api, '^/r/[^/]+/preview\\.png': api },
  },
  build: {
    target: 'es2023',
    sourcemap: false,
    reportCompressedSize: true,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'main', tags: ['$initial'] },
            // A chunk of its own, which is fetched when a chart is near the viewport.
            { name: 'charts', test: /\/(recharts|victory-vendor|d3-[a-z]+)\//, minShareCount: 2 },
            // Code that pages share is in few files, because HTTP/1.1 allows six requests at a time.
            // A higher threshold merges files that then import each other (see acyclic.ts).
            {
              name: 'shared',
              minShareCount: 2,
              entriesAware: true,
              entriesAwareMergeThreshold: 2_000,
            },
          ],
        },
      },
    },
  },
  test: {
    projects: [
      { extends: true, test: { name: 'units', include: ['src/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'components',
          include: ['src/**/*.test.tsx'],
          environment: 'happy-dom',
          setupFiles: ['src/testing/setup.ts'],
          // Pages share most of their code, which is loaded once for all files.
          isolate: false,
          testTimeout: 30_000,
        },
      },
    ],
  },
});
