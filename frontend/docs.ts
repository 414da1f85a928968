/**
 * Gives the UI the documentation of docs/ for people who use Tacho: each page as HTML, and a list of
 * pages, headings and terms.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';
import { getHeadingList, gfmHeadingId } from 'marked-gfm-heading-id';
import type { Plugin } from 'vite';

const FOLDER = fileURLToPath(new URL('../docs', import.meta.url));
/** Other pages are for people who change Tacho, and links to them are shown as text. */
const FOLDERS = ['', 'user-guide', 'methodology', 'operator-guide'];
const PAGES = ['getting-started.md', 'glossary.md', 'api.md'];
const GLOSSARY = 'glossary.md';
const ID = 'virtual:docs';

interface Page {
  title: string;
  sections: { id: string; title: string }[];
  html: string;
}

/** Return the paths of the pages within docs/, the index of a folder first. */
function listFiles(): string[] {
  return FOLDERS.flatMap((folder) => {
    const names = folder === '' ? PAGES : readdirSync(join(FOLDER, folder)).sort();
    return names
      .filter((name) => name.endsWith('.md'))
      .sort((a, b) => Number(b === 'README.md') - Number(a === 'README.md'))
      .map((name) => posix.join(folder, name));
  });
}

/** Return the path of a page in the UI: `methodology/ranking`. */
function pathOf(file: string): string {
  return file.replace(/(\/README)?\.md$/, '');
}

/** Return the address of a link on a page, or null if the UI does not have its target. */
function resolve(file: string, href: string): string | null {
  if (/^(https?:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = posix.join(posix.dirname(file), path);
  if (!listFiles().includes(target)) return null;
  return `/docs/${pathOf(target)}${anchor === undefined ? '' : `#${anchor}`}`;
}

function markedFor(file: string): Marked {
  return new Marked(gfmHeadingId(), {
    renderer: {
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const address = resolve(file, href);
        return address === null ? text : `<a href="${address}">${text}</a>`;
      },
    },
  });
}

function read(file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8');
}

function readPage(file: string): Page {
  const html = markedFor(file).parse(read(file), { async: false });
  const [title, ...others] = getHeadingList();
  if (title?.level !== 1) throw new Error(`docs/${file} does not begin with a title.`);
  return {
    title: title.raw,
    sections: others.filter(({ level }) => level === 2).map(({ id, raw }) => ({ id, title: raw })),
    // The page draws its title itself. Wide tables and code scroll on their own, also by keyboard.
    html: html
      .replace(/<h1[^>]*>.*<\/h1>\n/, '')
      .replaceAll('<pre>', '<pre tabindex="0">')
      .replaceAll('<table>', '<div role="group" tabindex="0"><table>')
      .replaceAll('</table>', '</table></div>'),
  };
}

/** Return each term of the glossary with its meaning as HTML and the id of its section. */
function readTerms(): { term: string; meaning: string; section: string }[] {
  const marked = markedFor(GLOSSARY);
  const { sections } = readPage(GLOSSARY);
  let section = '';
  return marked.lexer(read(GLOSSARY)).flatMap((token) => {
    if (token.type === 'heading') section = sections.find((s) => s.title === token.text)?.id ?? '';
    if (token.type !== 'table') return [];
    const rows = token.rows as { text: string }[][];
    return rows.map(([term, meaning]) => ({
      term: (term?.text ?? '').replaceAll('**', ''),
      meaning: marked.parseInline(meaning?.text ?? '', { async: false }),
      section,
    }));
  });
}

function listing(): string {
  const files = listFiles();
  const pages = files.map((file) => {
    const { title, sections } = readPage(file);
    return { path: pathOf(file), title, sections };
  });
  const loaders = files.map(
    (file) => `${JSON.stringify(pathOf(file))}: () => import('${ID}/${file}')`,
  );
  return [
    `export const pages = ${JSON.stringify(pages)};`,
    `export const terms = ${JSON.stringify(readTerms())};`,
    `export const load = {${loaders.join()}};`,
  ].join('\n');
}

export function docs(): Plugin {
  return {
    name: 'tacho-docs',
    resolveId: (id) => (id === ID || id.startsWith(`${ID}/`) ? `\0${id}` : null),
    load(id) {
      if (!id.startsWith(`\0${ID}`)) return null;
      // A page without an installation has no documentation.
      if (this.environment.name === 'exported') {
        return 'export const pages = [], terms = [], load = {};';
      }
      const file = id.slice(ID.length + 2);
      return file === '' ? listing() : `export default ${JSON.stringify(readPage(file).html)};`;
    },
  };
}
