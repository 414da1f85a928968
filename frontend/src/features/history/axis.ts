/** Chooses the axis of a history: by time, or run by run; pure. */

/** Runs that are nearer than this share of the span fall on one another. */
const NEAR_SHARE = 1 / 400;
/** With a larger share of such runs, equal distances show more. */
const CROWDED_SHARE = 0.25;

/** Return whether so many runs are close together that an axis of time would hide them. */
export function isCrowded(lines: readonly { dots: readonly { at: number }[] }[]): boolean {
  const all = new Set(lines.flatMap((line) => line.dots.map((dot) => dot.at)));
  const times = [...all].sort((a, b) => a - b);
  const near = ((times.at(-1) ?? 0) - (times[0] ?? 0)) * NEAR_SHARE;
  const intervals = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  const count = intervals.filter((interval) => interval < near).length;
  return times.length > 2 && count > CROWDED_SHARE * intervals.length;
}
