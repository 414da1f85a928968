import type { Failure, Run, TrialStatus } from '@/api/runs';
import { FailureNote } from '@/components/FailureNote';
import { MarkedName } from '@/components/Marker';
import { StatusBadge } from '@/components/StatusBadge';
import { words } from '@/lib/format';
import classes from './TrialGrid.module.css';

interface TrialGridProps {
  run: Run;
  /** Status from the event stream, newer than that of the run. */
  statusOf: (trialId: string) => TrialStatus | undefined;
  failureOf: (trialId: string) => Failure | null | undefined;
  current: string | null;
}

/** Shows one row per cell with one badge per trial. */
export function TrialGrid({ run, statusOf, failureOf, current }: TrialGridProps) {
  return (
    <ul className={classes.grid}>
      {run.cells.map((cell) => (
        <li key={cell.id} className={classes.row}>
          <div className={classes.cell}>
            <MarkedName {...cell.framework} />
            <span className={classes.scenario}>
              {cell.scenario.name} · {words(cell.profile)}
            </span>
          </div>
          <ol className={classes.trials}>
            {run.trials
              .filter((trial) => trial.cell_id === cell.id)
              .sort((a, b) => a.repetition - b.repetition)
              .map((trial) => {
                const status = statusOf(trial.id) ?? trial.status;
                return (
                  <li key={trial.id} className={classes.trial} data-current={trial.id === current}>
                    <span className={classes.number}>{trial.repetition}</span>
                    <StatusBadge status={status} compact={trial.id !== current} />
                  </li>
                );
              })}
          </ol>
          <ul className={classes.failures}>
            {run.trials
              .filter((trial) => trial.cell_id === cell.id)
              .map((trial) => {
                const failure = failureOf(trial.id) ?? trial.failure;
                return failure ? (
                  <li key={trial.id}>
                    <FailureNote failure={failure} label={`Trial ${trial.repetition}`} />
                  </li>
                ) : null;
              })}
          </ul>
        </li>
      ))}
    </ul>
  );
}
