/**
 * Writes files with elements that load code of a run's page early. The server adds them to the head
 * of that page: `run-page-links.html` always, and `first-chart-links.html` if the page begins with
 * a chart. Other pages fetch charts after the result, because charts are a third of all code.
 */
import type { Plugin } from 'vite';

const PAGE = ['/src/routes/RunPage.tsx', '/src/routes/Permalink.tsx'];
const FIRST_CHART = ['/src/charts/CurveChart.tsx'];

export function runPageLinks(): Plugin {
  return {
    name: 'tacho-run-page-links',
    apply: 'build',
    generateBundle(_options, bundle) {
      const known = new Set<string>();
      /** Returns the files of a chunk that no earlier call has returned. */
      const collect = (name: string): string[] => {
        const chunk = bundle[name];
        if (chunk?.type !== 'chunk' || chunk.isEntry || known.has(name)) return [];
        known.add(name);
        const styles = [...(chunk.viteMetadata?.importedCss ?? [])];
        return [...styles, name, ...chunk.imports.flatMap(collect)];
      };
      const find = (part: string): string => {
        for (const [name, file] of Object.entries(bundle)) {
          if (file.type === 'chunk' && file.moduleIds.some((id) => id.endsWith(part))) return name;
        }
        return this.error(`The build has no ${part}. See run-page-links.ts.`);
      };
      const write = (fileName: string, parts: readonly string[]) => {
        const links = [...new Set(parts.map(find).flatMap(collect))].map(linkTo);
        this.emitFile({ type: 'asset', fileName, source: `${links.join('\n    ')}\n` });
      };
      write('run-page-links.html', PAGE);
      write('first-chart-links.html', FIRST_CHART);
    },
  };
}

function linkTo(name: string): string {
  const kind = name.endsWith('.css') ? 'rel="preload" as="style"' : 'rel="modulepreload"';
  return `<link ${kind} crossorigin href="/${name}">`;
}
