import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useReducer } from 'react';
import { type Connection, type LiveEvent, useRunEvents } from '@/api/run-events';
import { isFinished } from '@/api/runs';
import type { RunOut } from '@/api/schema';
import { fold, type LiveState, START } from './live-state';

/** How often a queued run is fetched again: the event stream has no events about the queue. */
const QUEUE_MS = 5000;

/** Return whether the run and its ranking have changed since they were fetched. */
function isNews(run: RunOut, event: LiveEvent): boolean {
  if (event.type === 'trial') {
    const known = run.trials.find(({ id }) => id === event.data.trial_id);
    const hasEnded = event.data.status === 'succeeded' || event.data.status === 'failed';
    return known === undefined || (hasEnded && known.status !== event.data.status);
  }
  return event.type === 'end' || event.type === 'gap' || event.type === 'closed';
}

/** Return the live state of an unfinished run. Refetches the run when it finishes or closes. */
export function useLiveRun(run: RunOut, key: string): { live: LiveState; connection: Connection } {
  const queries = useQueryClient();
  const [live, receive] = useReducer(
    (state: LiveState, events: LiveEvent[]) => fold(state, events),
    START,
  );
  // The run, its answer and its ranking.
  const refetch = () =>
    void queries.invalidateQueries({
      predicate: ({ queryKey: [, path, init] }) =>
        String(path).startsWith('/api/v1/runs/{run_id}') &&
        (init as { params: { path: { run_id: string } } }).params.path.run_id === key,
    });
  const connection = useRunEvents(run.id, !isFinished(run.status), {
    onEvents: (events) => {
      receive(events);
      // The database has the changes of dropped events, added trials, and the results of ended ones.
      if (events.some((event) => isNews(run, event))) refetch();
    },
    onOpen: refetch,
  });
  const isQueued = (live.status ?? run.status) === 'queued';
  const refetchQueue = useEffectEvent(refetch);
  useEffect(() => {
    if (!isQueued) return undefined;
    const timer = window.setInterval(refetchQueue, QUEUE_MS);
    return () => window.clearInterval(timer);
  }, [isQueued]);
  return { live, connection };
}
