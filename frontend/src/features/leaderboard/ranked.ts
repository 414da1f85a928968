/** Describes a ranked result of the same framework; pure. */
import type { ResultItem } from '@/api/cells';

type Told = Pick<ResultItem, 'framework' | 'run_slug' | 'at'>;

/** `. An older result of this framework is ranked above`, or nothing. */
export function sayRanked(result: Told, entries: readonly { result: Told }[]): string {
  const ranked = entries.find(
    (entry) => entry.result.framework.slug === result.framework.slug,
  )?.result;
  if (ranked === undefined) return '';
  if (ranked.run_slug === result.run_slug)
    return '. Another result of the same run is ranked above';
  return `. ${Date.parse(ranked.at) < Date.parse(result.at) ? 'An older' : 'Another'} result of this framework is ranked above`;
}
