/** Writes compressed copies of built files, so that the server does not compress them for each request. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

const TEXT = /\.(js|css|svg|json)$/;
/** Smaller files fit into one packet, so compression gains nothing. */
const LEAST_BYTES = 1024;

/** Writes `x.js.br` and `x.js.gz` next to every `x.js` of `assets/`. */
export function compress(): Plugin {
  let folder = '';
  return {
    name: 'tacho-compress',
    apply: 'build',
    configResolved(config) {
      folder = join(config.root, config.build.outDir, config.build.assetsDir);
    },
    writeBundle() {
      for (const name of readdirSync(folder).filter((file) => TEXT.test(file))) {
        const path = join(folder, name);
        const content = readFileSync(path);
        if (content.length < LEAST_BYTES) continue;
        const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
        writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}
