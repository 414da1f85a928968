import { IconCheck } from '@tabler/icons-react';
import type { CellOut } from '@/api/schema';
import { formatDuration } from '@/lib/format';
import { useNow } from '@/lib/hooks';
import type { LiveTrial } from './live-state';
import classes from './StageBar.module.css';
import { expectedSeconds, type Stage, STAGE_NAMES, STAGES, stageState } from './stages';

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
