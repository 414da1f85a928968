/** What a run is doing, folded from its events; the same events again change nothing. */
import type { LiveEvent, SampleEvent } from '@/api/run-events';
import type { Failure, Progress, RunStatus, TrialStatus } from '@/api/runs';

export interface LiveTrial {
  status: TrialStatus;
  /** When it entered that status. */
  at: string;
  stageSeconds: Record<string, number>;
  failure: Failure | null;
}

export interface LogLine {
  trialId: string;
  name: string;
  line: string;
}

export interface LiveState {
  status: RunStatus | null;
  progress: Progress | null;
  trials: Record<string, LiveTrial>;
  /** The shown trial's seconds, by phase and second; those of trials before it are let go. */
  samples: Record<string, SampleEvent[]>;
  log: LogLine[];
  /** How many events were dropped before they reached this page. */
  dropped: number;
  /** The trial that is under way. */
  current: string | null;
  /** The same, or the one before while none is: what the page shows large. */
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
    case 'trial': {
      const { trial_id: id, status, at, stage_seconds: stageSeconds, failure } = event.data;
      const trials = { ...state.trials, [id]: { status, at, stageSeconds, failure } };
      // A trial that goes back to the queue starts over, and so do its seconds.
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
      return { ...state, log: [...state.log, { trialId, name, line }].slice(-MOST_LOG_LINES) };
    }
  }
}

/** A page may stay open for days: it keeps the seconds of one trial, not of hundreds. */
function only(samples: LiveState['samples'], trial: string | null): LiveState['samples'] {
  if (trial === null || Object.keys(samples).every((id) => id === trial)) return samples;
  return { [trial]: samples[trial] ?? [] };
}

/** In order of phase and second; a second told again (late answers) replaces what was known. */
function insert(samples: readonly SampleEvent[], sample: SampleEvent): SampleEvent[] {
  const others = samples.filter(
    (candidate) => candidate.phase !== sample.phase || candidate.second !== sample.second,
  );
  const rank = (event: SampleEvent) => (event.phase === 'warm_up' ? 0 : 1);
  return [...others, sample].sort((a, b) => rank(a) - rank(b) || a.second - b.second);
}
