/** State of a run, reduced from its events. Repeated events change nothing. */
import type { LiveEvent } from '@/api/run-events';
import type { Failure, Progress, RunStatus, SampleEvent, TrialStatus } from '@/api/schema';

export interface LiveTrial {
  status: TrialStatus;
  /** Time at which it entered this status. */
  at: string;
  stageSeconds: Record<string, number>;
  failure: Failure | null;
}

export interface LogLine {
  /** Its position in the whole log. Only the end of the log is stored. */
  number: number;
  trialId: string;
  name: string;
  line: string;
}

export interface LiveState {
  status: RunStatus | null;
  progress: Progress | null;
  trials: Record<string, LiveTrial>;
  /** Seconds of the shown trial, by phase and second; those of earlier trials are dropped. */
  samples: Record<string, SampleEvent[]>;
  log: LogLine[];
  /** How many events were dropped before they reached this page. */
  dropped: number;
  /** The current trial. */
  current: string | null;
  /** The current trial, or the previous one between trials. */
  shown: string | null;
}

export const START: LiveState = {
  status: null,
  progress: null,
  trials: {},
  samples: {},
  log: [],
  dropped: 0,
  current: null,
  shown: null,
};

const MOST_LOG_LINES = 500;
const RESTING: readonly TrialStatus[] = ['queued', 'succeeded', 'failed', 'cancelled'];

export function isUnderWay(status: TrialStatus): boolean {
  return !RESTING.includes(status);
}

export function fold(state: LiveState, events: readonly LiveEvent[]): LiveState {
  return events.reduce(step, state);
}

function step(state: LiveState, event: LiveEvent): LiveState {
  switch (event.type) {
    case 'run':
      return { ...state, status: event.data.status, progress: event.data.progress };
    case 'end':
      return { ...state, status: event.data.status, current: null };
    case 'closed':
      return { ...state, current: null };
    case 'trial': {
      const { trial_id: id, status, at, stage_seconds: stageSeconds, failure } = event.data;
      const trials = { ...state.trials, [id]: { status, at, stageSeconds, failure } };
      // A trial that returns to the queue starts over.
      const samples =
        status === 'queued' || status === 'building'
          ? { ...state.samples, [id]: [] }
          : state.samples;
      const rests = !isUnderWay(status);
      const current = rests ? (state.current === id ? null : state.current) : id;
      const shown = current ?? state.shown;
      return { ...state, trials, samples: only(samples, shown), current, shown };
    }
    case 'sample': {
      const { trial_id: id } = event.data;
      const samples = { ...state.samples, [id]: insert(state.samples[id] ?? [], event.data) };
      return { ...state, samples };
    }
    case 'gap':
      return { ...state, dropped: state.dropped + event.data.dropped };
    case 'log': {
      const { trial_id: trialId, name, line } = event.data;
      const number = (state.log.at(-1)?.number ?? 0) + 1;
      const log = [...state.log, { number, trialId, name, line }];
      return { ...state, log: log.slice(-MOST_LOG_LINES) };
    }
  }
}

/** A page may stay open for days, so only the seconds of one trial are stored. */
function only(samples: LiveState['samples'], trial: string | null): LiveState['samples'] {
  if (trial === null || Object.keys(samples).every((id) => id === trial)) return samples;
  return { [trial]: samples[trial] ?? [] };
}

/** Insert a second in order. A repeated second (late responses) replaces the earlier one. */
function insert(samples: readonly SampleEvent[], sample: SampleEvent): SampleEvent[] {
  const others = samples.filter(
    (candidate) => candidate.phase !== sample.phase || candidate.second !== sample.second,
  );
  const rank = (event: SampleEvent) => (event.phase === 'warm_up' ? 0 : 1);
  return [...others, sample].sort((a, b) => rank(a) - rank(b) || a.second - b.second);
}
