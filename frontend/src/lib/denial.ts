/** Why the person at the browser may not do something. */
export interface Denial {
  /** A sentence. */
  reason: string;
  /** Whether signing in may help. */
  canSignIn: boolean;
}
