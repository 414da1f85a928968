/** The request of the page of a study, which its loader starts too. */
import { keepPreviousData } from '@tanstack/react-query';
import { api } from '@/api/client';

/** The study next to this run; by default next to its newest reproduction. */
export function studyQuery(slug: string, run: string | undefined) {
  return api.queryOptions(
    'get',
    '/api/v1/studies/{slug}',
    { params: { path: { slug }, query: { run } } },
    { placeholderData: keepPreviousData },
  );
}
