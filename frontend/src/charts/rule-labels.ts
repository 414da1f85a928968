/** Places the labels of vertical rules in lanes above the plot, without overlaps; pure. */

/** Pixels between two labels. */
const GAP = 6;

export interface WantedLabel {
  /** Middle, in pixels. */
  at: number;
  width: number;
}

/**
 * Return the middle of each label within `left` and `right`, or null where it would overlap an earlier label. Labels must be in ascending order.
 */
export function placeLabels(
  wanted: readonly WantedLabel[],
  left: number,
  right: number,
): (number | null)[] {
  let end = left - GAP;
  return wanted.map(({ at, width }) => {
    const most = right - width / 2;
    const middle = Math.min(Math.max(at, left + width / 2), most);
    if (middle - width / 2 < end + GAP) return null;
    end = middle + width / 2;
    return middle;
  });
}
