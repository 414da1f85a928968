import { useQueryClient } from '@tanstack/react-query';
import { useReducer } from 'react';
import { type Connection, type LiveEvent, useRunEvents } from '@/api/run-events';
import { isFinished, type Run, runQueries } from '@/api/runs';
import { fold, type LiveState, START } from './live-state';

function isNews(run: Run, event: LiveEvent): boolean {
  if (event.type === 'trial') return run.trials.every(({ id }) => id !== event.data.trial_id);
  return event.type === 'end' || event.type === 'gap';
}

/** Return the live state of an unfinished run. Refetches the run when it finishes. */
export function useLiveRun(run: Run, key: string): { live: LiveState; connection: Connection } {
  const queries = useQueryClient();
  const [live, receive] = useReducer(
    (state: LiveState, events: LiveEvent[]) => fold(state, events),
    START,
  );
  const refetch = () => void queries.invalidateQueries({ queryKey: runQueries.one(key).queryKey });
  const connection = useRunEvents(run.id, !isFinished(run.status), {
    onEvents: (events) => {
      receive(events);
      // The database has the changes of dropped events, and trials that were added.
      if (events.some((event) => isNews(run, event))) refetch();
    },
    onOpen: refetch,
  });
  return { live, connection };
}
