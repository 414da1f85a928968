/** The rule for new passwords. The server checks it too (backend/core/people/accounts/passwords.py). */

const FEWEST_CHARACTERS = 10;

export const PASSWORD_RULE = `At least ${FEWEST_CHARACTERS} characters.`;

/** Return why a password cannot be set; null if it can. */
export function passwordFault(password: string): string | null {
  return password.length < FEWEST_CHARACTERS ? PASSWORD_RULE : null;
}
