import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { type ConfigEnv, type EnvironmentOptions, type Plugin, type UserConfig } from 'vite';
import { acyclic } from './acyclic';
import { compress } from './compress';
import { docs } from './docs';
import { firstPaint } from './first-paint';
import { runPage } from './run-page';
import { SINGLE_FILE, singleFile } from './single-file';

const target = process.env.TACHO_URL ?? 'http://127.0.0.1:8000';
// The API only accepts changes from its own origin; Sec-Fetch-Site still reveals other sites.
const api = { target, changeOrigin: true, headers: { origin: target } };

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Forms, menus and charts, which many pages share, but few need at once. */
const LATE = new RegExp(
  [
    '/(@mantine/form|klona|fast-deep-equal|react-number-format|src/charts)/',
    '/(Menu|NumberInput|MultiSelect|Checkbox|Pill|PillsInput|use-pills-reorder)/',
    '/(EntryForm|entries)\\.',
  ].join('|'),
);

/** The three parts of a build. The first one empties the folder. */
const PARTS: Record<string, EnvironmentOptions> = {
  /** The web UI. */
  client: {
    build: {
      rolldownOptions: {
        output: {
          // The names of all pages that share a file would be in every file that imports it.
          chunkFileNames: ({ name }) =>
            `assets/${name.startsWith('shared~') ? 'shared' : '[name]'}-[hash].js`,
          codeSplitting: {
            groups: [
              { name: 'main', tags: ['$initial'] },
              // A chunk of its own, which is fetched when a chart is near the viewport.
              { name: 'charts', test: /\/(recharts|victory-vendor|d3-[a-z]+)\//, minShareCount: 2 },
              // One file is smaller than many, because each is compressed alone.
              { name: 'common', test: (id) => !LATE.test(id), minShareCount: 5 },
              // Other code that pages share is in few files, because HTTP/1.1 allows six requests at
              // a time. A higher threshold merges files, although pages need only one of them.
              {
                name: 'shared',
                minShareCount: 2,
                entriesAware: true,
                entriesAwareMergeThreshold: 500,
              },
            ],
          },
        },
      },
    },
  },
  /** The page of exported runs, which the API fills with the responses of one run. */
  exported: {
    consumer: 'client',
    build: { ...SINGLE_FILE, rolldownOptions: { input: pathOf('./export.html') } },
  },
  /** The page /api/docs. Its scripts are separate from those of the web UI. */
  apiDocs: {
    consumer: 'client',
    build: {
      copyPublicDir: false,
      emptyOutDir: false,
      // Swagger UI has this size.
      chunkSizeWarningLimit: 2_000,
      rolldownOptions: { input: pathOf('./api-docs.html') },
    },
  },
};

/** Returns a plugin that acts only in these parts of a build. */
function only(parts: readonly string[], plugin: Plugin): Plugin {
  return { ...plugin, applyToEnvironment: ({ name }) => parts.includes(name) };
}

export default function configure({ command }: Pick<ConfigEnv, 'command'>): UserConfig {
  return {
    plugins: [
      react(),
      docs(),
      firstPaint(),
      only(['client'], runPage()),
      only(['client'], acyclic()),
      only(['exported'], singleFile()),
      only(['client', 'apiDocs'], compress()),
    ],
    resolve: { alias: { '@': pathOf('./src') } },
    server: {
      host: '127.0.0.1',
      proxy: { '/api': api, '/badge': api, '^/(r/[^/]+|choose)/preview\\.png': api },
    },
    build: {
      target: 'es2023',
      sourcemap: false,
      // Reads of the six thousand files of the icons only those that are imported.
      rolldownOptions: { experimental: { lazyBarrel: true } },
    },
    ...(command === 'build' && { builder: {}, environments: PARTS }),
  };
}
