const SCHEME = 'data-mantine-color-scheme';

/** Switches to the light theme while the page is printed. */
export function printInLight(): void {
  const page = document.documentElement;
  let before: string | null = null;
  window.addEventListener('beforeprint', () => {
    before = page.getAttribute(SCHEME);
    page.setAttribute(SCHEME, 'light');
  });
  window.addEventListener('afterprint', () => {
    if (before !== null) page.setAttribute(SCHEME, before);
  });
}
