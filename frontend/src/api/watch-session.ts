/** Keeps the page consistent with the session when it ends or changes in another tab. */
import { hashKey, type QueryClient } from '@tanstack/react-query';
import { keepDraftsOf } from '@/lib/drafts';
import { forgetSessionEnd, reportSessionEnd } from '@/lib/session-end';
import { api, ProblemError } from './client';
import type { SessionOut } from './schema';

const NO_RIGHTS = [401, 403];

/** Data that is the same for every person: the session itself, and a link that was just used. */
const KEPT: ReadonlySet<unknown> = new Set(['/api/v1/session', '/api/v1/links/read']);

/**
 * Request the session again when a request is refused. Discard the data of the page when another
 * person signs in or another workspace is shown. Return a function that stops watching.
 */
export function watchSession(queries: QueryClient): () => void {
  const { queryKey } = api.queryOptions('get', '/api/v1/session');
  const hash = hashKey(queryKey);
  let last = queries.getQueryData<SessionOut>(queryKey);

  const compare = () => {
    const session = queries.getQueryData<SessionOut>(queryKey);
    const before = last;
    last = session;
    if (session?.proof === 'session') keepDraftsOf(identify(session));
    // Without data the person has signed out, or nothing is loaded yet.
    if (session === undefined || before === undefined) return;
    if (session.proof === 'session') forgetSessionEnd();
    if (before.proof === 'session' && session.proof === null) reportSessionEnd();
    if (identify(before) !== identify(session)) {
      void queries.resetQueries({
        predicate: ({ queryKey: [, path] }) => !KEPT.has(path),
      });
    }
  };
  const check = (error: unknown) => {
    if (!(error instanceof ProblemError) || !NO_RIGHTS.includes(error.status)) return;
    if (last?.proof === 'session') void queries.invalidateQueries({ queryKey });
  };

  const stopQueries = queries.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return;
    if (event.action.type === 'error') check(event.action.error);
    if (event.query.queryHash === hash) compare();
  });
  const stopMutations = queries.getMutationCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'error') check(event.action.error);
  });
  return () => {
    stopQueries();
    stopMutations();
  };
}

function identify({ proof, user, workspace }: SessionOut): string {
  return [proof, user?.id, workspace?.id].join(' ');
}
