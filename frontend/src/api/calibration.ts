/** Finds the overhead and noise of a host that apply to a result; pure. */
import type { CalibrationOut, GeneratorOverheadOut, HostOut, NoiseOut } from './schema';

/** Return the host's calibration if it is current and has this fingerprint; else null. */
export function calibrationFor(
  host: HostOut | undefined,
  hostDigest: unknown,
): CalibrationOut | null {
  if (!host?.calibration?.is_current) return null;
  return host.fingerprint_digest === hostDigest ? host.calibration : null;
}

/** Return the overhead at the nearest calibrated rate that is not below; null if there is none. */
export function overheadAt(
  calibration: CalibrationOut | null,
  rate: number | undefined,
): GeneratorOverheadOut | null {
  if (calibration === null || rate === undefined) return null;
  const above = calibration.overheads.filter((overhead) => overhead.rate_rps >= rate);
  return above.sort((a, b) => a.rate_rps - b.rate_rps)[0] ?? null;
}

/** Return a metric's noise for the same scenario and profile, else the largest known. */
export function noiseOf(
  calibration: CalibrationOut | null,
  metric: string,
  load: { scenario: string; profile: string },
): NoiseOut | null {
  const known = (calibration?.noise ?? []).filter((noise) => noise.metric === metric);
  const same = known.filter(
    (item) => item.scenario === load.scenario && item.profile === load.profile,
  );
  const candidates = same.length > 0 ? same : known;
  return candidates.sort((a, b) => b.smallest_ratio - a.smallest_ratio)[0] ?? null;
}
