const UNAUTHORIZED = 401;

/** Return the error of a sign-in as text for its field. */
export function explainFailure(error: Error & { status?: number }, wrong: string): string {
  return error.status === UNAUTHORIZED ? wrong : error.message;
}
