/** The stages of a trial in order, and how long each is expected to take. */
import type { CellOut, TrialStatus } from '@/api/schema';

export const STAGES = [
  'building',
  'starting',
  'verifying',
  'warming_up',
  'measuring',
  'collecting',
] as const satisfies readonly TrialStatus[];

export type Stage = (typeof STAGES)[number];

export const STAGE_NAMES: Record<Stage, string> = {
  building: 'Build',
  starting: 'Start',
  verifying: 'Verify',
  warming_up: 'Warm up',
  measuring: 'Measure',
  collecting: 'Collect',
};

export type StageState = 'done' | 'now' | 'ahead';

export function stageState(stage: Stage, status: TrialStatus): StageState {
  const at = (STAGES as readonly TrialStatus[]).indexOf(status);
  if (at === -1) return status === 'succeeded' ? 'done' : 'ahead';
  const own = STAGES.indexOf(stage);
  return own < at ? 'done' : own === at ? 'now' : 'ahead';
}

/** Return the seconds that the profile sets for a stage (for a warm-up the maximum); null if unknown. */
export function expectedSeconds(stage: Stage, cell: CellOut): number | null {
  if (stage === 'warming_up') return cell.parameters.warm_up_seconds ?? null;
  if (stage === 'measuring') {
    const { duration_seconds: duration, steps, step_seconds: each } = cell.parameters;
    const drain = cell.parameters.drain_seconds ?? 0;
    if (steps !== undefined && each !== undefined) return steps * (each + drain) - drain;
    return duration ?? null;
  }
  return null;
}
