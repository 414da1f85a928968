/** Builds a page as one HTML file that loads nothing: scripts, styles and fonts are part of it. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuildEnvironmentOptions, Plugin } from 'vite';

const SCRIPT = /<script([^>]*?) (?:crossorigin )?src="\/([^"]+)"><\/script>/g;
const STYLESHEET = /<link rel="stylesheet"(?: crossorigin)? href="\/([^"]+)">/g;
const INLINE_SCRIPT = /<script(?: type="module")?>([\s\S]*?)<\/script>/g;
const CHARSET = '<meta charset="utf-8" />';

/** Allows the page's own scripts by their hashes, and no request to anywhere. */
function policyTag(html: string): string {
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(
    ([, content = '']) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`,
  );
  const policy = [
    "default-src 'none'",
    `script-src ${hashes.join(' ')}`,
    "style-src 'unsafe-inline'",
    'img-src data: blob:',
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<meta http-equiv="Content-Security-Policy" content="${policy}" />`;
}

/** How files have to be built so that `singleFile` can move them into the page. */
export const SINGLE_FILE = {
  assetsInlineLimit: () => true,
  copyPublicDir: false,
  cssCodeSplit: false,
  emptyOutDir: false,
  modulePreload: false,
} satisfies BuildEnvironmentOptions;

/** Moves scripts and styles into the HTML file. Works for pages with one script of their own. */
export function singleFile(): Plugin {
  let folder = '';
  return {
    name: 'tacho-single-file',
    apply: 'build',
    enforce: 'post',
    outputOptions: (options) => ({ ...options, codeSplitting: false }),
    configResolved(config) {
      folder = config.publicDir;
    },
    // After Vite's own plugins, which still complete the code of dynamic imports at this point.
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const take = (name: string): string => {
          const file = bundle[name];
          if (file === undefined) return readFileSync(join(folder, name), 'utf8');
          Reflect.deleteProperty(bundle, name);
          return file.type === 'chunk' ? file.code : String(file.source);
        };
        for (const page of Object.values(bundle)) {
          if (page.type !== 'asset' || !page.fileName.endsWith('.html')) continue;
          const html = String(page.source)
            .replace(SCRIPT, (_tag, attributes: string, name: string) => {
              // The HTML standard forbids both in a script element.
              const code = take(name).replaceAll(/<(?=\/script|!--)/gi, '\\x3C');
              return `<script${attributes}>${code}</script>`;
            })
            .replace(STYLESHEET, (_tag, name: string) => `<style>${take(name)}</style>`);
          page.source = html.replace(CHARSET, () => `${CHARSET}\n    ${policyTag(html)}`);
        }
        const left = Object.keys(bundle).filter((name) => !name.endsWith('.html'));
        if (left.length > 0) this.error(`Not part of the single file: ${left.join(', ')}`);
      },
    },
  };
}
