/** Fails a build in which two files import each other, because the first to run lacks the other's exports. */
import type { Plugin } from 'vite';

export function acyclic(): Plugin {
  return {
    name: 'tacho-acyclic',
    apply: 'build',
    generateBundle(_options, bundle) {
      const checked = new Set<string>();
      const check = (file: string, path: readonly string[]) => {
        if (path.includes(file)) {
          this.error(`Files import each other: ${[...path, file].join(' → ')}. See codeSplitting.`);
        }
        if (checked.has(file)) return;
        const chunk = bundle[file];
        if (chunk?.type === 'chunk') for (const next of chunk.imports) check(next, [...path, file]);
        checked.add(file);
      };
      for (const file of Object.keys(bundle)) check(file, []);
    },
  };
}
