import { IconCheck } from '@tabler/icons-react';
import type { CellOut, TrialStatus } from '@/api/schema';
import { formatDuration } from '@/lib/format';
import { useNow } from '@/lib/hooks';
import type { LiveTrial } from './live-state';
import classes from './StageBar.module.css';

/** Shows the six stages of a trial with their duration and progress. */
export function StageBar({ trial, cell }: { trial: LiveTrial; cell: CellOut }) {
  const now = useNow(1000);
  const elapsed = Math.max(0, (now - Date.parse(trial.at)) / 1000);
  return (
    <ol className={classes.stages} aria-label="Stages">
      {STAGES.map((stage) => {
        const state = stageState(stage, trial.status);
        const expected = expectedSeconds(stage, cell);
        const share = stageShare(state, elapsed, expected);
        return (
          <li
            key={stage}
            className={classes.stage}
            data-state={state}
            aria-current={state === 'now' ? 'step' : undefined}
          >
            <span className={classes.track}>
              <span
                className={classes.value}
                data-open={state === 'now' && expected === null}
                style={{ width: `${share * 100}%` }}
              />
            </span>
            <span className={classes.name}>
              {state === 'done' && <IconCheck size={12} stroke={2.4} aria-label="done" />}
              {STAGE_NAMES[stage]}
            </span>
            <span className={classes.time}>
              {stageTime(stage, trial, state, elapsed, expected)}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

function stageShare(state: string, elapsed: number, expected: number | null): number {
  if (state !== 'now') return state === 'done' ? 1 : 0;
  return expected === null ? 1 : Math.min(1, elapsed / Math.max(expected, 1));
}

function stageTime(
  stage: Stage,
  trial: LiveTrial,
  state: string,
  elapsed: number,
  expected: number | null,
): string {
  if (state === 'now') {
    const most = stage === 'warming_up' ? 'at most ' : '';
    const total = expected === null ? '' : ` of ${most}${formatDuration(expected)}`;
    return `${formatDuration(expected === null ? elapsed : Math.min(elapsed, expected))}${total}`;
  }
  const spent = trial.stageSeconds[stage];
  if (state === 'done') return spent === undefined ? 'skipped' : formatDuration(spent, true);
  return expected === null ? '' : formatDuration(expected);
}

const STAGES = [
  'building',
  'starting',
  'verifying',
  'warming_up',
  'measuring',
  'collecting',
] as const satisfies readonly TrialStatus[];

type Stage = (typeof STAGES)[number];

const STAGE_NAMES: Record<Stage, string> = {
  building: 'Build',
  starting: 'Start',
  verifying: 'Verify',
  warming_up: 'Warm up',
  measuring: 'Measure',
  collecting: 'Collect',
};

type StageState = 'done' | 'now' | 'ahead';

function stageState(stage: Stage, status: TrialStatus): StageState {
  const at = (STAGES as readonly TrialStatus[]).indexOf(status);
  if (at === -1) return status === 'succeeded' ? 'done' : 'ahead';
  const own = STAGES.indexOf(stage);
  return own < at ? 'done' : own === at ? 'now' : 'ahead';
}

/** Return the seconds that the profile sets for a stage (for a warm-up the maximum); null if unknown. */
function expectedSeconds(stage: Stage, cell: CellOut): number | null {
  if (stage === 'warming_up') return cell.parameters.warm_up_seconds ?? null;
  if (stage === 'measuring') {
    const { duration_seconds: duration, steps, step_seconds: each } = cell.parameters;
    const drain = cell.parameters.drain_seconds ?? 0;
    if (steps !== undefined && each !== undefined) return steps * (each + drain) - drain;
    return duration ?? null;
  }
  return null;
}
