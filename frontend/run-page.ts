/**
 * Writes `run-page.html`, from which the server makes the page of a run. It differs from
 * `index.html`: the styles of what the server draws and the script that chooses the colour scheme
 * are inside, the stylesheet does not delay the first paint (src/app/main.tsx), and the code
 * of the page is loaded early, but after what the first paint needs.
 *
 * The server also adds `first-chart-links.html` if the page begins with a chart. Other pages fetch
 * charts after the result, because charts are a third of all code.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';

type Bundle = Rolldown.OutputBundle;
type File = Bundle[string];

const PAGE = ['/src/routes/RunPage.tsx'];
const FIRST_CHART = [
  '/src/features/run-result/sweep/SweepFigure.tsx',
  '/src/charts/CurveChart.tsx',
];
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
const COLOUR_SCHEME = '<script src="/color-scheme.js"></script>';
const ROOT = '<div id="root"></div>';

export function runPage(): Plugin {
  let root = '';
  let publicFolder = '';
  return {
    name: 'tacho-run-page',
    apply: 'build',
    configResolved(config) {
      root = config.root;
      publicFolder = config.publicDir;
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
        const scheme = readFileSync(join(publicFolder, 'color-scheme.js'), 'utf8');
        const page = String(index.source)
          .replace(STYLESHEET, (tag, name: string) => {
            const fonts = readFonts(bundle[name]) ?? this.error(`${name} has no font.`);
            const painted = PAINTED.map((path) => readFileSync(join(root, path), 'utf8'));
            return putOff(tag, name, [...fonts, ...painted].join('\n').replaceAll(COMMENT, ''));
          })
          // The server allows this script by its digest.
          .replace(COLOUR_SCHEME, () => `<script>${scheme}</script>`)
          .replace(ROOT, () => `${ROOT}\n    ${links}`);
        this.emitFile({ type: 'asset', fileName: 'run-page.html', source: page });
        const charts = `${linksTo(FIRST_CHART)}\n`;
        this.emitFile({ type: 'asset', fileName: 'first-chart-links.html', source: charts });
      },
    },
  };
}

/** Return the rules of a stylesheet that load the font of the text; null without any. */
function readFonts(sheet: File | undefined): string[] | null {
  return sheet?.type === 'asset' ? String(sheet.source).match(FONT_FACE) : null;
}

/** Return a link to a stylesheet that is needed later, after the styles that are needed at once. */
function putOff(tag: string, name: string, style: string): string {
  // Printed pages need the stylesheet also without scripts.
  const late = tag.replace('rel="stylesheet"', 'rel="stylesheet" media="print"');
  return [linkTo(name), late, `<style>${style}</style>`].join('\n    ');
}

/** Return the file with a module, by the end of the module's path. */
function findChunk(bundle: Bundle, part: string): string | undefined {
  return Object.keys(bundle).find((name) => {
    const file = bundle[name];
    return file?.type === 'chunk' && file.moduleIds.some((id) => id.endsWith(part));
  });
}

/** Return a chunk with its styles and imports, without the files that are in `known`. */
function collectFiles(bundle: Bundle, name: string, known: Set<string>): string[] {
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
