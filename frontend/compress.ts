/** Writes compressed copies of built files, so that the server does not compress them for each request. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

const TEXT = /\.(js|css|svg|json)$/;
/** Smaller files fit into one packet, so compression gains nothing. */
const LEAST_BYTES = 1024;
/** Takes a thirtieth of the time of the best quality. The files are up to 10 % larger. */
const QUICK = 8;

/** Writes `x.js.br` and `x.js.gz` next to every `x.js` of `assets/`. */
export function compress(): Plugin {
  let quality = QUICK;
  return {
    name: 'tacho-compress',
    apply: 'build',
    configResolved(config) {
      quality = config.mode === 'release' ? constants.BROTLI_MAX_QUALITY : QUICK;
    },
    writeBundle(_options, bundle) {
      const { root, build } = this.environment.config;
      const folder = resolve(root, build.outDir);
      const assets = `${build.assetsDir}/`;
      // Not the whole folder, which also holds the files of earlier builds.
      const written = Object.keys(bundle).filter((file) => file.startsWith(assets));
      for (const name of written.filter((file) => TEXT.test(file))) {
        const path = join(folder, name);
        const content = readFileSync(path);
        if (content.length < LEAST_BYTES) continue;
        const params = {
          [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
          [constants.BROTLI_PARAM_QUALITY]: quality,
        };
        writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}
