import { defineConfig, mergeConfig } from 'vitest/config';
import configure from './vite.config';

export default mergeConfig(
  configure({ command: 'serve' }),
  defineConfig({
    test: {
      // A fault that all tests share ends the run, instead of minutes of waiting in each.
      bail: 5,
      projects: [
        { extends: true, test: { name: 'units', include: ['src/**/*.test.ts'] } },
        {
          extends: true,
          test: {
            name: 'components',
            include: ['src/**/*.test.tsx'],
            environment: 'happy-dom',
            // A link that saves a file must not lead the page of all tests to that file.
            environmentOptions: {
              happyDOM: {
                settings: {
                  navigation: { disableMainFrameNavigation: true, disableFallbackToSetURL: true },
                },
              },
            },
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
