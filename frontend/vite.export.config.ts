/** Builds the page of exported runs, which the API fills with the responses of one run. */
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { firstPaint } from './first-paint';
import { singleFile } from './single-file';

export default defineConfig({
  plugins: [react(), firstPaint(), singleFile()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    target: 'es2023',
    // The build of the web UI comes first and empties the folder.
    emptyOutDir: false,
    rolldownOptions: { input: fileURLToPath(new URL('./export.html', import.meta.url)) },
  },
});
