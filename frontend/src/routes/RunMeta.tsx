import { Link } from '@tanstack/react-router';
import { isFinished } from '@/api/runs';
import type { RunOut } from '@/api/schema';
import { MetaLine } from '@/components/Page';
import { StatusBadge } from '@/components/StatusBadge';
import { formatCount, formatDateTime, formatDuration } from '@/lib/format';

/** Shows where, when and how a run was made, in one line. */
export function RunMeta({ run }: { run: RunOut }) {
  const { started_at: started, finished_at: finished } = run;
  const took = started && finished ? (Date.parse(finished) - Date.parse(started)) / 1000 : null;
  return (
    <MetaLine>
      {isFinished(run.status) ? <StatusBadge status={run.status} /> : null}
      <Link to="/hosts/$name" params={{ name: run.host }}>
        {run.host}
      </Link>
      {run.group ? (
        <Link to="/g/$group" params={{ group: run.group.slug }}>
          the same on other hosts
        </Link>
      ) : null}
      {run.runtime}
      <time dateTime={run.created_at}>{formatDateTime(run.created_at)}</time>
      {took === null ? null : `took ${formatDuration(took)}`}
      {`${formatCount(run.trials_per_cell, 'trial')} per result`}
      {run.visibility}
      {run.purpose === 'confirmation' ? 'confirmation run: builds before and after a change' : null}
      {run.purpose === 'calibration' ? 'calibration of the host' : null}
      {run.rerun_of ? (
        <Link to="/r/$run" params={{ run: run.rerun_of }}>
          repeat of an earlier run
        </Link>
      ) : null}
    </MetaLine>
  );
}
