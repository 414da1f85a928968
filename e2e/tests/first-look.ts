/** The run First look, which several tests start. */

export const FRAMEWORKS = ['Node.js', 'Go net/http'];
/**
 * The ways in which First look ends: which framework needs less CPU, that both are equivalent
 * within a margin, which limit was reached and how many more trials would be needed, or that a
 * result is excluded. A sentence with both estimates may come first.
 */
export const ANSWERS = new RegExp(
  [
    String.raw`(?:^|\. )Stopped after \d+ trials each: (Node\.js|Go net/http) uses the least CPU per request\.`,
    String.raw`(?:^|\. )Stopped after \d+ trials each: .+ are equivalent in CPU per request, within [\d.]+ %\.`,
    String.raw`(?:^|\. )Limit of .+ reached.*; (at least|about) \d+ more trials? each would be needed to rank `,
    String.raw`(?:^|\. )Limit of .+ reached.*; no number of further trials would be enough to rank `,
    String.raw`(?:^|\. )Stopped after \d+ trials each: fewer than two results are left to rank`,
  ].join('|'),
);
