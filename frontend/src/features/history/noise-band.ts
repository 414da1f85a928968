/** Computes the range within which a series may vary by noise of its host; pure. */
import type { HistoryPoint, NoiseOut } from '@/api/schema';

export interface Band {
  low: number;
  high: number;
}

/**
 * Return the range around the geometric mean of the valid points within which two runs of one
 * service may differ on this host. Null if the noise is unknown or a value has no logarithm.
 */
export function noiseBand(
  points: readonly HistoryPoint[],
  noise: Pick<NoiseOut, 'smallest_ratio'> | null,
): Band | null {
  const values = points.filter((point) => !point.excluded).map((point) => point.estimate);
  if (noise === null || values.length === 0 || values.some((value) => value <= 0)) return null;
  const logs = values.map(Math.log);
  const centre = Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
  return { low: centre / noise.smallest_ratio, high: centre * noise.smallest_ratio };
}
