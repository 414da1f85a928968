import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ErrorState } from '@/components/States';

/** Shows an error of the page itself. */
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
