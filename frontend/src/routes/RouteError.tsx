import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ErrorState } from '@/components/States';

/** A fault of the page itself, with the way on. */
export function RouteError({ error, reset }: ErrorComponentProps): ReactNode {
  const what = error instanceof Error ? error.message : String(error);
  return (
    <ErrorState
      error={{
        title: 'This page could not be shown',
        message: `${what}. Reload the page. If that does not help, report this message.`,
      }}
      onRetry={reset}
    />
  );
}
