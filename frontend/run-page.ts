/**
 * Writes `run-page.html`, from which the server makes the page of a run. It differs from
 * `index.html` in its head: the styles of what the server draws are inside, the stylesheet does not
 * delay the first paint (src/app/stylesheet.ts), and the code of the page is loaded early.
 *
 * The server also adds `first-chart-links.html` if the page begins with a chart. Other pages fetch
 * charts after the result, because charts are a third of all code.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';

const PAGE = ['/src/routes/RunPage.tsx', '/src/routes/Permalink.tsx'];
const FIRST_CHART = ['/src/charts/CurveChart.tsx'];
/** The styles of the frame and the card, in the order of src/app/styles.ts. */
const PAINTED = [
  'node_modules/@mantine/core/styles/baseline.css',
  'src/app/global.css',
  'src/app/shell.css',
  'src/features/answer/answer.css',
];
const COMMENT = /\/\*[\s\S]*?\*\//g;
const FONT_FACE = /@font-face\s*\{[^}]*Inter Variable[^}]*\}/g;
const STYLESHEET = /<link rel="stylesheet"(?: crossorigin)? href="\/([^"]+)">/;
const END_OF_HEAD = '</head>';

export function runPage(): Plugin {
  let root = '';
  return {
    name: 'tacho-run-page',
    apply: 'build',
    configResolved(config) {
      root = config.root;
    },
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const index = bundle['index.html'];
        if (index?.type !== 'asset') return this.error('The build has no index.html.');
        const known = new Set<string>();
        const linksTo = (parts: readonly string[]) =>
          parts
            .map((part) => findChunk(bundle, part) ?? this.error(`The build has no ${part}.`))
            .flatMap((name) => collectFiles(bundle, name, known))
            .map(linkTo)
            .join('\n    ');
        const links = linksTo(PAGE);
        const page = String(index.source)
          .replace(STYLESHEET, (tag, name: string) => {
            const sheet = bundle[name];
            const rules = sheet?.type === 'asset' ? String(sheet.source) : '';
            const fonts = rules.match(FONT_FACE);
            if (fonts === null) return this.error(`${name} has no font. See run-page.ts.`);
            const painted = PAINTED.map((path) => readFileSync(join(root, path), 'utf8'));
            const style = [...fonts, ...painted].join('\n').replaceAll(COMMENT, '');
            // Printed pages need it also without scripts.
            const late = tag.replace('rel="stylesheet"', 'rel="stylesheet" media="print"');
            return [linkTo(name), late, `<style>${style}</style>`].join('\n    ');
          })
          .replace(END_OF_HEAD, () => `  ${links}\n  ${END_OF_HEAD}`);
        this.emitFile({ type: 'asset', fileName: 'run-page.html', source: page });
        const charts = `${linksTo(FIRST_CHART)}\n`;
        this.emitFile({ type: 'asset', fileName: 'first-chart-links.html', source: charts });
      },
    },
  };
}

/** Return the file with a module, by the end of the module's path. */
function findChunk(bundle: Rolldown.OutputBundle, part: string): string | undefined {
  return Object.keys(bundle).find((name) => {
    const file = bundle[name];
    return file?.type === 'chunk' && file.moduleIds.some((id) => id.endsWith(part));
  });
}

/** Return a chunk with its styles and imports, without the files that are in `known`. */
function collectFiles(bundle: Rolldown.OutputBundle, name: string, known: Set<string>): string[] {
  const chunk = bundle[name];
  if (chunk?.type !== 'chunk' || chunk.isEntry || known.has(name)) return [];
  known.add(name);
  const styles = [...(chunk.viteMetadata?.importedCss ?? [])].filter((file) => !known.has(file));
  for (const style of styles) known.add(style);
  return [...styles, name, ...chunk.imports.flatMap((file) => collectFiles(bundle, file, known))];
}

function linkTo(name: string): string {
  const kind = name.endsWith('.css') ? 'rel="preload" as="style"' : 'rel="modulepreload"';
  return `<link ${kind} crossorigin href="/${name}">`;
}
