const KEY = 'tacho.reloaded-at';
const ONCE_IN_MS = 30_000;

/**
 * A page that was open while Tacho was updated asks for chunks that are gone; loading it anew
 * brings the ones that are there. Not twice in a row: then the fault lies elsewhere and is shown.
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
