import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { compress } from './compress';

const api = process.env.TACHO_URL ?? 'http://127.0.0.1:8000';

export default defineConfig({
  plugins: [react(), compress()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': api, '/badge': api, '^/r/[^/]+/preview\\.png': api },
  },
  build: { target: 'es2023', sourcemap: false, reportCompressedSize: true },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
