import { useQueries } from '@tanstack/react-query';
import type { Run, RunCell } from '@/api/runs';
import { trialQueries } from '@/api/trials';
import { MarkedName } from '@/components/Marker';
import { succeededTrials } from './time-lines';
import { describeWarmUps } from './warm-up';
import classes from './WarmUps.module.css';

/** When each framework was steady; says nothing until its trials are known. */
export function WarmUps({ run, cells }: { run: Run; cells: readonly RunCell[] }) {
  const trials = succeededTrials(run, cells);
  const details = useQueries({
    queries: trials.map((trial) => trialQueries.detail(trial.trialId)),
    combine: (results) => results.map((result) => result.data),
  });
  const told = cells.flatMap((cell) => {
    const warmUps = trials.flatMap((trial, index) =>
      trial.cell === cell ? (details[index]?.warm_up ?? []) : [],
    );
    return warmUps.length === 0 ? [] : [{ cell, warmUps }];
  });
  if (told.length === 0) return null;
  return (
    <ul className={classes.list} aria-label="Warm-up">
      {told.map(({ cell, warmUps }) => (
        <li
          key={cell.id}
          title={warmUps.map((one) => one.detail).join(' ')}
          data-unsettled={warmUps.some((one) => one.is_steady === false)}
        >
          <MarkedName {...cell.framework} /> {describeWarmUps(warmUps)}
        </li>
      ))}
    </ul>
  );
}
