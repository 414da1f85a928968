/** Which frameworks of the catalogue are shown; the filter lives in the URL. */
import type { Framework } from '@/api/frameworks';

export const CATALOGUE_KEYS = ['search', 'language', 'runtime', 'concurrency', 'scenario'] as const;
export type CatalogueSearch = Partial<Record<(typeof CATALOGUE_KEYS)[number], string>>;

/** `Node.js` of `Node.js 24`: the runtime without its version. */
export function runtimeOf(framework: Framework): string {
  return framework.versions.runtime.replace(/\s+v?[\d.]+.*$/, '');
}

/** The entries that share a folder with this one: a framework and its further versions. */
export function otherVersions(framework: Framework, frameworks: readonly Framework[]): Framework[] {
  const main = framework.version_of ?? framework.slug;
  return frameworks.filter(
    (candidate) =>
      candidate.slug !== framework.slug && (candidate.version_of ?? candidate.slug) === main,
  );
}

export function filterFrameworks(
  frameworks: readonly Framework[],
  { search = '', language, runtime, concurrency, scenario }: CatalogueSearch,
): Framework[] {
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

/** What there is to choose from, each once and in order. */
export function valuesOf(
  frameworks: readonly Framework[],
  read: (framework: Framework) => string,
): string[] {
  return [...new Set(frameworks.map(read))].sort((a, b) => a.localeCompare(b));
}
