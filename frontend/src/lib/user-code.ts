/** The code that `tacho login` shows, such as WDJB-MJHT. */

const HALF = 4;
const LENGTH = 2 * HALF;

/** Return what a person has typed as upper-case letters, with a hyphen in the middle. */
export function formatUserCode(typed: string): string {
  const letters = typed
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, '')
    .slice(0, LENGTH);
  return letters.length > HALF ? `${letters.slice(0, HALF)}-${letters.slice(HALF)}` : letters;
}

/** Return whether a formatted code has all letters. */
export function isCompleteUserCode(code: string): boolean {
  return code.length === LENGTH + 1;
}
