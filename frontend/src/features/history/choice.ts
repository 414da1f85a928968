/** Completes the selection of a history from the URL; pure. */
import type { FrameworkOut, ResultItem } from '@/api/schema';
import type { HistoryQuery, HistorySearch } from './query';

export type SeriesChoice = Pick<HistoryQuery, 'framework' | 'scenario'>;

/** Return the named parts, completed from the newest result. */
export function completeFromResult(
  { framework, scenario }: HistorySearch,
  newest: Pick<ResultItem, 'framework' | 'scenario'>,
): SeriesChoice {
  return {
    framework: framework ?? [newest.framework.slug],
    scenario: scenario ?? newest.scenario.slug,
  };
}

/**
 * Return the named parts, completed from the catalogue, if possible with its `first` scenario. Null
 * if the catalogue has nothing suitable.
 */
export function completeFromCatalogue(
  { framework, scenario }: HistorySearch,
  catalogue: readonly Pick<FrameworkOut, 'slug' | 'scenarios'>[],
  first: string | undefined,
): SeriesChoice | null {
  const wanted = scenario ?? first;
  const able =
    catalogue.find(({ slug, scenarios }) =>
      framework ? slug === framework[0] : wanted === undefined || scenarios.includes(wanted),
    ) ?? catalogue[0];
  const own = able?.scenarios.find((slug) => slug === wanted) ?? able?.scenarios[0];
  const named = framework ?? (able && [able.slug]);
  const chosen = scenario ?? own;
  return named && chosen !== undefined ? { framework: named, scenario: chosen } : null;
}
