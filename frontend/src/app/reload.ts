const KEY = 'tacho.reloaded-at';
const ONCE_IN_MS = 30_000;

/**
 * Reloads the page when a code chunk is missing because Tacho was updated. Does not reload twice in a row, so that other errors are shown.
 */
export function reloadAfterUpdate(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const last = Number(window.sessionStorage.getItem(KEY) ?? 0);
    if (Date.now() - last < ONCE_IN_MS) return;
    window.sessionStorage.setItem(KEY, String(Date.now()));
    event.preventDefault();
    window.location.reload();
  });
}
