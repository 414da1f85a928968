/**
 * Applies the stylesheet of the app. The page of a run loads it without delaying the first paint,
 * because it contains the styles of what the server draws (run-page.ts).
 */
export async function applyStylesheet(page: Document): Promise<void> {
  const link = page.querySelector<HTMLLinkElement>('link[rel="stylesheet"][media="print"]');
  if (link === null) return;
  if (link.sheet === null) {
    await new Promise((resolve) => {
      link.addEventListener('load', resolve);
      link.addEventListener('error', resolve);
    });
  }
  link.media = 'all';
}
