/** Builds the page /api/docs. Its scripts are separate from those of the web UI. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { compress } from './compress';

export default defineConfig({
  plugins: [compress()],
  build: {
    target: 'es2023',
    // The build of the web UI comes first and empties the folder.
    emptyOutDir: false,
    // Swagger UI has this size.
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: { input: fileURLToPath(new URL('./api-docs.html', import.meta.url)) },
  },
});
