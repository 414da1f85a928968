/** Events of webhooks, in words. */
import type { WebhookEvent } from './schema';

/** The meaning of each event, in the order of the forms. */
export const EVENTS: readonly { event: WebhookEvent; meaning: string }[] = [
  { event: 'run.finished', meaning: 'A run finished' },
  { event: 'limit.missed', meaning: 'A scheduled run missed a limit' },
  { event: 'change.confirmed', meaning: 'A confirmation run confirmed a change' },
  { event: 'schedule.missed', meaning: 'A scheduled run has no result' },
];
