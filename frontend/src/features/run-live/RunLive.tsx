import { memo, useState } from 'react';
import type { RunOut, SampleEvent } from '@/api/schema';
import { Notice } from '@/components/Notice';
import { Section } from '@/components/Page';
import { ProgressBar } from '@/components/ProgressBar';
import { StatusBadge } from '@/components/StatusBadge';
import { formatAmount, formatCount, stripTerminalCodes } from '@/lib/format';
import { useDocumentTitle } from '@/lib/hooks';
import { describeCancelling, describeTiming } from './describe-run';
import type { LogLine } from './live-state';
import { LogTail } from './LogTail';
import { NowTrial } from './NowTrial';
import { ProvisionalRanking } from './ProvisionalRanking';
import classes from './RunLive.module.css';
import { TrialGrid } from './TrialGrid';
import { useLiveRun } from './useLiveRun';

/** The same value each time, so that the parts of the page are not drawn again. */
const NO_SAMPLES: readonly SampleEvent[] = [];

/**
 * Shows a queued or running run: progress, current trial, trials and log. The browser may run on the
 * bench host, so each part is drawn again only when its own data changes.
 */
export function RunLive({ run, queryKey }: { run: RunOut; queryKey: string }) {
  const { live, connection } = useLiveRun(run, queryKey);
  const progress = live.progress ?? run.progress;
  const status = live.status ?? run.status;
  const percent = Math.floor(progress.share * 100);
  useDocumentTitle(`${status === 'queued' ? 'queued' : `${percent} %`} · ${run.title}`);

  const shown = run.trials.find((trial) => trial.id === live.shown);
  const cell = run.cells.find((cell) => cell.id === shown?.cell_id);
  const timing = run.cancel_requested
    ? null
    : describeTiming({
        status,
        progress,
        queue: run.progress,
        host: run.host,
        hasGoal: run.goal !== null && run.goal !== undefined,
      });

  return (
    <>
      {connection === 'lost' && (
        <Notice title="Live connection lost">
          The run continues. Reconnecting; no data will be missing afterwards.
        </Notice>
      )}
      {live.dropped > 0 && (
        <Notice title="Some live updates are missing">
          Up to {formatCount(live.dropped, 'update')} did not reach this page because Redis did not
          respond in time. The measurement is not affected, and the results will be complete.
        </Notice>
      )}
      <div className={classes.progress}>
        <StatusBadge status={status} />
        <ProgressBar share={progress.share} label="Progress of the run" />
        <span className={classes.counts}>
          {run.goal
            ? `${formatCount(progress.trials_finished, 'trial')} done`
            : `${formatAmount(progress.trials_finished)} of ${formatCount(progress.trials_total, 'trial')}`}
          {progress.trials_failed > 0 && `, ${progress.trials_failed} failed`}
          {status !== 'queued' && timing !== null && ` · ${timing}`}
        </span>
      </div>
      {run.goal?.sentence && <p className={classes.note}>{run.goal.sentence}</p>}
      {run.cancel_requested && (
        <p className={classes.note} role="status">
          {describeCancelling(progress)}
        </p>
      )}
      {status === 'queued' && timing !== null && (
        <p className={classes.note} role="status">
          {timing.charAt(0).toUpperCase()}
          {timing.slice(1)}. This page updates automatically.
        </p>
      )}
      {shown && cell ? (
        <NowTrial
          cell={cell}
          repetition={shown.repetition}
          trials={run.goal ? null : run.trials_per_cell}
          trial={live.trials[shown.id]}
          samples={live.samples[shown.id] ?? NO_SAMPLES}
          host={run.host}
        />
      ) : null}
      <Log lines={live.log} />
      <div className={classes.below}>
        <ProvisionalRanking run={run} queryKey={queryKey} current={shown?.cell_id ?? null} />
        <Section
          title="Trials"
          hint="Trials alternate, so slow drift of the machine affects every framework equally."
        >
          <TrialGrid run={run} live={live.trials} current={live.current} />
        </Section>
      </div>
    </>
  );
}

/** Folds the log into its last line. The lines are drawn while it is open. */
const Log = memo(function Log({ lines }: { lines: readonly LogLine[] }) {
  const [isOpen, setOpen] = useState(false);
  const last = lines.at(-1);
  return (
    <details className={classes.log} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={classes.summary}>
        <span className={classes.logTitle}>Log</span>
        <span className={classes.last}>
          {last ? `${last.name}: ${stripTerminalCodes(last.line)}` : 'No output yet.'}
        </span>
      </summary>
      {isOpen && <LogTail lines={lines} />}
    </details>
  );
});
