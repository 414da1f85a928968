/** The page to return to after signing in, which a link names. */

// Not "//host" or "/\host", which browsers read as another site.
const OWN_PATH = /^\/(?![/\\])/;
// Browsers remove some control characters from an address.
const CONTROL_CHARACTER = /\p{Cc}/u;
const SIGN_IN_PAGES = ['/sign-in', '/join'];

/** Return whether text is the path of a page of this installation that needs no signing in. */
export function isReturnPath(text: string): boolean {
  if (!OWN_PATH.test(text) || CONTROL_CHARACTER.test(text)) return false;
  const base = 'http://own.invalid';
  const url = URL.parse(text, base);
  return url?.origin === base && !SIGN_IN_PAGES.includes(url.pathname);
}
