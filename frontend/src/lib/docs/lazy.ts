/** The documentation, which is loaded when it is first needed. */
import { queryOptions } from '@tanstack/react-query';

/** The pages with their headings, and the terms of the glossary. */
export const docsQuery = queryOptions({
  queryKey: ['docs'],
  queryFn: () => import('virtual:docs'),
  staleTime: Infinity,
});

/** Return a page with its HTML and the list of all pages, or null if there is no such page. */
export async function loadPage(path: string) {
  const { pages, load } = await import('virtual:docs');
  const page = pages.find((page) => page.path === path);
  if (page === undefined) return null;
  const html = await load[path]?.();
  return { ...page, html: html?.default ?? '', pages };
}
