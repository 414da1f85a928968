import { defineConfig, mergeConfig } from 'vitest/config';
import configure from './vite.config';

export default mergeConfig(
  configure({ command: 'serve' }),
  defineConfig({
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
            testTimeout: 180_000,
          },
        },
      ],
    },
  }),
);
