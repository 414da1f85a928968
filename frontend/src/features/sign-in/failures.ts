const UNAUTHORIZED = 401;

export function isUnauthorized(error: { status?: number }): boolean {
  return error.status === UNAUTHORIZED;
}

/** Return the error of a sign-in as text for its field. */
export function explainFailure(error: Error & { status?: number }, wrong: string): string {
  return isUnauthorized(error) ? wrong : error.message;
}
