/** Completes the selection of a history from the URL; pure. */
import type { ResultItem } from '@/api/cells';
import type { Framework } from '@/api/frameworks';

export interface Asked {
  frameworks: string[];
  scenario: string;
}

/** What is named stays; the rest is that of `newest`, else something the catalogue can measure.
 * Null where it can measure nothing of the kind. */
export function completeChoice(
  named: readonly string[],
  scenario: string | undefined,
  newest: Pick<ResultItem, 'framework' | 'scenario'> | null,
  catalogue: readonly Pick<Framework, 'slug' | 'scenarios'>[],
): Asked | null {
  const able =
    catalogue.find(({ slug, scenarios }) =>
      named.length > 0 ? slug === named[0] : scenario === undefined || scenarios.includes(scenario),
    ) ?? catalogue[0];
  const framework = named[0] ?? newest?.framework.slug ?? able?.slug;
  const chosen = scenario ?? newest?.scenario.slug ?? able?.scenarios[0];
  if (framework === undefined || chosen === undefined) return null;
  return { frameworks: named.length > 0 ? [...named] : [framework], scenario: chosen };
}
