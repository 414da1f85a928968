/** Adds to each page what its first paint needs: the colours of both themes, and the font. */
import type { HtmlTagDescriptor, Plugin } from 'vite';
import { MONO, SANS } from './src/lib/fonts';
import { cssVariables, type Scheme } from './src/lib/tokens';

/** Swagger UI has colours of its own. */
const WITHOUT = /api-docs\.html$/;
/** The Latin part of the font for text, as built. */
const FONT = /inter-latin-wght-normal.*\.woff2$/;

/** Mantine sets the same variables, but only when its script runs. */
function themeStyle(): string {
  const list = (scheme: Scheme) =>
    [['color-scheme', scheme], ...Object.entries(cssVariables(scheme))]
      .map(([name, value]) => `${name}:${value}`)
      .join(';');
  const fonts = `--mantine-font-family:${SANS};--mantine-font-family-monospace:${MONO}`;
  return [
    `:root{${fonts};${list('light')}}`,
    `:root[data-mantine-color-scheme=dark]{${list('dark')}}`,
    // Without JavaScript, no script sets the attribute. Paper is always light.
    `@media screen and (prefers-color-scheme:dark){:root:not([data-mantine-color-scheme]){${list('dark')}}}`,
  ].join('');
}

export function firstPaint(): Plugin {
  return {
    name: 'tacho-first-paint',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle, filename }) {
        if (WITHOUT.test(filename)) return [];
        const font = Object.keys(bundle ?? {}).find((name) => FONT.test(name));
        const tags: HtmlTagDescriptor[] = [
          { tag: 'style', children: themeStyle(), injectTo: 'head' },
        ];
        if (font !== undefined) {
          const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true };
          // Before the scripts, because text without its font would be painted twice.
          tags.push({
            tag: 'link',
            attrs: { ...attrs, href: `/${font}` },
            injectTo: 'head-prepend',
          });
        }
        return tags;
      },
    },
  };
}
