/** The scale that bars with whiskers share; pure. */

export interface ScaledBar {
  estimate: number;
  high?: number | null;
}

// A longer whisker is cut, because scaling to it would flatten all bars.
const LONGEST_WHISKER = 1.6;

/**
 * Return the end of the scale of these bars, which begins at 0.
 *
 * The preview picture has the same rule (scale_end in backend/api/results/sharing/drawing.py); both test suites read bar-scale-cases.json.
 */
export function scaleEnd(bars: readonly ScaledBar[]): number {
  const longest = Math.max(0, ...bars.map(({ estimate }) => estimate));
  const farthest = Math.max(longest, ...bars.map(({ high }) => high ?? 0));
  return Math.min(farthest, longest * LONGEST_WHISKER) || 1;
}
