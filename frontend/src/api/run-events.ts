/** The event stream of a run: typed events, each delivered once, across reconnections. */
import { useEffect, useEffectEvent, useState } from 'react';
import type { RunEvents } from './schema';

/** An event with the data that belongs to its type, for each type in the API's document. */
export type LiveEvent = {
  [T in keyof RunEvents]: { type: T; data: RunEvents[T] };
}[keyof RunEvents];

const TYPES = [
  'run',
  'trial',
  'sample',
  'log',
  'gap',
  'closed',
  'end',
] as const satisfies readonly LiveEvent['type'][];

/** A Redis stream id is `<ms>-<sequence>`: later ids are greater. */
export function isLater(id: string, than: string): boolean {
  const [ms = 0, sequence = 0] = id.split('-').map(Number);
  const [otherMs = 0, otherSequence = 0] = than.split('-').map(Number);
  return ms > otherMs || (ms === otherMs && sequence > otherSequence);
}

export type Connection = 'connecting' | 'open' | 'lost' | 'ended';

const RETRY_MS = 2000;
/** How long events are collected: each batch draws the page again, perhaps on the bench host. */
const BATCH_MS = 200;

interface Handlers {
  onEvents: (events: LiveEvent[]) => void;
  /** Called when the stream opens or reopens. State fetched earlier may be outdated. */
  onOpen: () => void;
}

/**
 * Follows a run until it ends, or until the user may not open it any more. Events are delivered in batches, so that a replay causes a single render. No event is delivered twice: the browser resumes by Last-Event-ID, and known ids are skipped.
 */
export function useRunEvents(runId: string, enabled: boolean, handlers: Handlers): Connection {
  const [connection, setConnection] = useState<Connection>('connecting');
  const onEvents = useEffectEvent(handlers.onEvents);
  const onOpen = useEffectEvent(handlers.onOpen);

  useEffect(() => {
    if (!enabled) return undefined;
    let source: EventSource | null = null;
    let retry: number | undefined;
    let flush: number | undefined;
    let lastId = '';
    let batch: LiveEvent[] = [];

    const deliver = () => {
      flush = undefined;
      const events = batch;
      batch = [];
      onEvents(events);
    };

    const receive = (type: (typeof TYPES)[number], message: MessageEvent<string>) => {
      // `run`, `closed` and `end` carry the current state and have no id of their own.
      if (type !== 'run' && type !== 'closed' && type !== 'end') {
        if (lastId !== '' && !isLater(message.lastEventId, lastId)) return;
        lastId = message.lastEventId;
      }
      const data: unknown = JSON.parse(message.data);
      batch.push({ type, data } as LiveEvent);
      flush ??= window.setTimeout(deliver, BATCH_MS);
      if (type === 'end' || type === 'closed') {
        source?.close();
        setConnection('ended');
      }
    };

    const connect = () => {
      source = new EventSource(`/api/v1/runs/${encodeURIComponent(runId)}/events`);
      source.onopen = () => {
        setConnection('open');
        onOpen();
      };
      source.onerror = () => {
        setConnection('lost');
        // The browser reconnects after a lost connection, but not after an error response.
        if (source?.readyState === EventSource.CLOSED) {
          window.clearTimeout(retry);
          retry = window.setTimeout(connect, RETRY_MS);
        }
      };
      for (const type of TYPES) {
        source.addEventListener(type, (message: MessageEvent<string>) => receive(type, message));
      }
    };

    connect();
    return () => {
      source?.close();
      window.clearTimeout(retry);
      window.clearTimeout(flush);
    };
  }, [runId, enabled]);

  return connection;
}
