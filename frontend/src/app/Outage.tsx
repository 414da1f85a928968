import { Box } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { ProblemError } from '@/api/client';
import { ErrorState, OutageContext } from '@/components/States';

/** Return the error of the parts of the page that could not reach the server; null if none. */
function useOutage(): ProblemError | null {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (notify) => cache.subscribe(notify),
    () => {
      const errors = cache
        .findAll({ type: 'active' })
        .map(({ state }) => (state.data === undefined ? state.error : null))
        .filter((error) => error instanceof ProblemError && error.code === 'unreachable');
      return (errors[0] as ProblemError | undefined) ?? null;
    },
  );
}

/** Shows once that the server cannot be reached, above a page whose parts are all missing then. */
export function Outage({ children }: { children: ReactNode }) {
  const error = useOutage();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const retry = () => {
    setBusy(true);
    const failed = queries.refetchQueries({
      type: 'active',
      predicate: (query) => query.state.status === 'error',
    });
    void failed.finally(() => setBusy(false));
  };
  return (
    <OutageContext value={error !== null || busy}>
      {(error !== null || busy) && (
        <Box mb="lg">
          <ErrorState error={error ?? RETRYING} onRetry={retry} busy={busy} />
        </Box>
      )}
      {children}
    </OutageContext>
  );
}

const RETRYING = {
  title: 'Tacho is not responding',
  message: 'Trying again.',
};
