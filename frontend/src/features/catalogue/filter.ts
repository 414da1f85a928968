/** Filters the frameworks of the catalogue by the URL; pure. */
import type { FrameworkOut } from '@/api/schema';

type Key = 'search' | 'language' | 'runtime' | 'concurrency' | 'scenario';
export type CatalogueSearch = Partial<Record<Key, string | undefined>>;

/** Return the runtime without its version: `Node.js` for `Node.js 24`. */
export function runtimeOf(framework: FrameworkOut): string {
  return framework.versions.runtime.replace(/\s+v?[\d.]+.*$/, '');
}

/** Return the other versions of a framework. */
export function otherVersions(
  framework: FrameworkOut,
  frameworks: readonly FrameworkOut[],
): FrameworkOut[] {
  const main = framework.version_of ?? framework.slug;
  return frameworks.filter(
    (candidate) =>
      candidate.slug !== framework.slug && (candidate.version_of ?? candidate.slug) === main,
  );
}

export function filterFrameworks(
  frameworks: readonly FrameworkOut[],
  { search = '', language, runtime, concurrency, scenario }: CatalogueSearch,
): FrameworkOut[] {
  const wanted = search.trim().toLowerCase();
  return frameworks.filter(
    (framework) =>
      `${framework.name} ${framework.slug} ${framework.versions.framework}`
        .toLowerCase()
        .includes(wanted) &&
      (language === undefined || framework.language === language) &&
      (runtime === undefined || runtimeOf(framework) === runtime) &&
      (concurrency === undefined || framework.concurrency === concurrency) &&
      (scenario === undefined || framework.scenarios.includes(scenario)),
  );
}

/** Return the distinct values, sorted. */
export function valuesOf(
  frameworks: readonly FrameworkOut[],
  read: (framework: FrameworkOut) => string,
): string[] {
  return [...new Set(frameworks.map(read))].sort((a, b) => a.localeCompare(b));
}
