/** Describes the parts and the timing of a live run in words; pure. */
import type { Progress, RunOut, RunStatus } from '@/api/schema';
import { formatAmount, formatCount, formatDuration } from '@/lib/format';
import { describeLoad } from '@/lib/load';

/** `Hello, 1 000 req/s for 10 s`. */
export function describeRun(run: RunOut, groupKey: string): string {
  const group = run.groups.find(({ key }) => key === groupKey);
  return group === undefined ? groupKey : `${group.scenario.name}, ${describeLoad(group)}`;
}

interface Timing {
  status: RunStatus;
  /** From the event stream, if it has one. */
  progress: Progress;
  /** From the run itself: only this counts the runs ahead that the viewer may see. */
  queue: Progress;
  host: string;
  hasGoal: boolean;
}

/** Return when the run starts and ends: `Starts in about 4 min, ends in about 12 min.` */
export function describeTiming({ status, progress, queue, host, hasGoal }: Timing): string | null {
  const left = progress.estimated_seconds_left ?? null;
  const about = hasGoal ? 'at most' : 'about';
  if (status !== 'queued') {
    return left === null ? null : `${about} ${formatDuration(left)} left`;
  }
  const ahead = queue.queue_position ?? 0;
  const wait = queue.estimated_seconds_until_start ?? 0;
  const place = ahead > 0 ? `${formatCount(ahead, 'run')} ahead on ${host}` : `next on ${host}`;
  const start = ahead > 0 ? `starts in about ${formatRough(wait)}` : 'starts within seconds';
  const end = left === null ? '' : `, ends in ${about} ${formatRough(wait + left)}`;
  return `${place}: ${start}${end}`;
}

/** Return how far a cancellation is: `Cancelling: 3 200 of 10 000 trials have ended.` */
export function describeCancelling({ trials_finished: ended, trials_total: total }: Progress) {
  return `Cancelling: ${formatAmount(ended)} of ${formatCount(total, 'trial')} have ended.`;
}

/** Whole minutes from two minutes on: an estimate is no more precise. */
function formatRough(seconds: number): string {
  return formatDuration(seconds < 120 ? seconds : Math.ceil(seconds / 60) * 60);
}
