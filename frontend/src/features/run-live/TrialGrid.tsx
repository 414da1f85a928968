import { memo } from 'react';
import type { RunOut } from '@/api/schema';
import { FailureNote } from '@/components/FailureNote';
import { MarkedName } from '@/components/Marker';
import { StatusBadge } from '@/components/StatusBadge';
import { words } from '@/lib/format';
import type { LiveState } from './live-state';
import classes from './TrialGrid.module.css';

interface TrialGridProps {
  run: RunOut;
  /** The trials in the event stream, newer than those of the run. */
  live: LiveState['trials'];
  current: string | null;
}

/** Shows one row per cell with one badge per trial. */
export const TrialGrid = memo(function TrialGrid({ run, live, current }: TrialGridProps) {
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
                const status = live[trial.id]?.status ?? trial.status;
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
                const failure = live[trial.id]?.failure ?? trial.failure;
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
});
