/** Events by which a person takes over the scroll position. */
const TAKEOVERS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/** Milliseconds for which content above may still load and move the element. */
const SETTLING_MS = 10_000;

/** Scrolls to an element, and again while content loads above it, until the person scrolls. */
export function scrollTo(element: HTMLElement): void {
  const observer = new ResizeObserver(() => {
    element.scrollIntoView();
  });
  const stop = () => {
    observer.disconnect();
    window.clearTimeout(timer);
    for (const takeover of TAKEOVERS) window.removeEventListener(takeover, stop);
  };
  const timer = window.setTimeout(stop, SETTLING_MS);
  for (const takeover of TAKEOVERS) window.addEventListener(takeover, stop, { passive: true });
  observer.observe(document.body);
}
