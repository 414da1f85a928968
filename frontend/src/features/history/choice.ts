/** Completes the selection of a history from the URL; pure. */
import type { FrameworkOut, ResultItem } from '@/api/schema';

export interface SeriesChoice {
  frameworks: string[];
  scenario: string;
}

/**
 * Return the named parts, completed from the newest result or else from the catalogue, if possible
 * with its `first` scenario. Null if the catalogue has nothing suitable.
 */
export function completeChoice(
  named: readonly string[],
  scenario: string | undefined,
  newest: Pick<ResultItem, 'framework' | 'scenario'> | null,
  catalogue: readonly Pick<FrameworkOut, 'slug' | 'scenarios'>[],
  first: string | undefined,
): SeriesChoice | null {
  const wanted = scenario ?? first;
  const able =
    catalogue.find(({ slug, scenarios }) =>
      named.length > 0 ? slug === named[0] : wanted === undefined || scenarios.includes(wanted),
    ) ?? catalogue[0];
  const framework = named[0] ?? newest?.framework.slug ?? able?.slug;
  const own = able?.scenarios.find((slug) => slug === wanted) ?? able?.scenarios[0];
  const chosen = scenario ?? newest?.scenario.slug ?? own;
  if (framework === undefined || chosen === undefined) return null;
  return { frameworks: named.length > 0 ? [...named] : [framework], scenario: chosen };
}
