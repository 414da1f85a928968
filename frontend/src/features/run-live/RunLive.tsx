import type { Run } from '@/api/runs';
import { Notice } from '@/components/Notice';
import { Section } from '@/components/Page';
import { ProgressBar } from '@/components/ProgressBar';
import { StatusBadge } from '@/components/StatusBadge';
import { formatCount, formatDuration } from '@/lib/format';
import { useDocumentTitle } from '@/lib/hooks';
import { LogTail } from './LogTail';
import { NowTrial } from './NowTrial';
import classes from './RunLive.module.css';
import { TrialGrid } from './TrialGrid';
import { useLiveRun } from './useLiveRun';

/** A run that is queued or under way: where it is, what it measures, what it says. */
export function RunLive({ run, queryKey }: { run: Run; queryKey: string }) {
  const { live, connection } = useLiveRun(run, queryKey);
  const progress = live.progress ?? run.progress;
  const status = live.status ?? run.status;
  const percent = Math.floor(progress.share * 100);
  useDocumentTitle(`${status === 'queued' ? 'queued' : `${percent} %`} · ${run.title}`);

  const shown = run.trials.find((trial) => trial.id === live.shown);
  const cell = run.cells.find((one) => one.id === shown?.cell_id);
  const ahead = progress.queue_position ?? 0;
  const left = progress.estimated_seconds_left;

  return (
    <>
      {connection === 'lost' && (
        <Notice title="The live connection dropped">
          The run goes on without it. Trying again; nothing will be missing when it is back.
        </Notice>
      )}
      {live.dropped > 0 && (
        <Notice title="Some live updates are missing">
          Up to {formatCount(live.dropped, 'update')} did not reach this page, because Redis did not
          answer in time. The measurement is not affected. The results will be complete.
        </Notice>
      )}
      <div className={classes.progress}>
        <StatusBadge status={status} />
        <ProgressBar share={progress.share} label="Progress of the run" />
        <span className={classes.counts}>
          {progress.trials_finished} of {formatCount(progress.trials_total, 'trial')}
          {progress.trials_failed > 0 && `, ${progress.trials_failed} failed`}
          {left !== null && left !== undefined && ` · about ${formatDuration(left)} left`}
        </span>
      </div>
      {run.cancel_requested && (
        <p className={classes.note}>Cancelling: what runs is being stopped.</p>
      )}
      {status === 'queued' && (
        <p className={classes.note}>
          {ahead > 0
            ? `${formatCount(ahead, 'run')} ahead on ${run.host}. This page starts moving by itself.`
            : `Next on ${run.host}. This page starts moving by itself.`}
        </p>
      )}
      {shown && cell ? (
        <NowTrial
          cell={cell}
          repetition={shown.repetition}
          trials={run.trials_per_cell}
          trial={live.trials[shown.id]}
          samples={live.samples[shown.id] ?? []}
        />
      ) : null}
      <Section
        title="Trials"
        hint="Interleaved: the first repetition of every cell, then the second, so that drift hits all alike."
      >
        <TrialGrid
          run={run}
          statusOf={(id) => live.trials[id]?.status}
          failureOf={(id) => live.trials[id]?.failure}
          current={live.current}
        />
      </Section>
      <Section title="Log">
        <LogTail lines={live.log} />
      </Section>
    </>
  );
}
