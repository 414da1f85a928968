/** Completes the selection of a history from the URL; pure. */
import type { ResultItem } from '@/api/cells';
import type { Framework } from '@/api/frameworks';

export interface SeriesChoice {
  frameworks: string[];
  scenario: string;
}

/**
 * Return the named parts, completed from the newest result or else from the catalogue. Null if the
 * catalogue has nothing suitable.
 */
export function completeChoice(
  named: readonly string[],
  scenario: string | undefined,
  newest: Pick<ResultItem, 'framework' | 'scenario'> | null,
  catalogue: readonly Pick<Framework, 'slug' | 'scenarios'>[],
): SeriesChoice | null {
  const able =
    catalogue.find(({ slug, scenarios }) =>
      named.length > 0 ? slug === named[0] : scenario === undefined || scenarios.includes(scenario),
    ) ?? catalogue[0];
  const framework = named[0] ?? newest?.framework.slug ?? able?.slug;
  const chosen = scenario ?? newest?.scenario.slug ?? able?.scenarios[0];
  if (framework === undefined || chosen === undefined) return null;
  return { frameworks: named.length > 0 ? [...named] : [framework], scenario: chosen };
}
