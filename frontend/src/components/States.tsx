/** States of a page without data: loading, error and empty. */
import { Box, Button, Skeleton, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { createContext, type ReactNode, Suspense, use, useState } from 'react';
import ui from './ui.module.css';
import { SignInLink } from './SignInLink';
import classes from './States.module.css';

/** Any error; errors of the server also have a title and an id. */
export interface ShownError {
  message: string;
  title?: string;
  /** HTTP status of the response; 0 if the server could not be reached. */
  status?: number;
  instance?: string | null;
}

interface ErrorStateProps {
  error: ShownError;
  onRetry?: () => void;
  /** Whether it is being requested again. */
  busy?: boolean;
  /** Shown instead of the button to try again. */
  action?: ReactNode;
}

export function ErrorState({ error, onRetry, busy = false, action }: ErrorStateProps) {
  return (
    <div className={classes.error} role="alert">
      <IconAlertTriangle size={20} aria-hidden className={classes.errorIcon} />
      <div>
        <Box component="p" m={0} fw={600}>
          {error.title ?? 'Something went wrong'}
        </Box>
        <p className={classes.text}>{error.message}</p>
        {error.instance !== undefined && error.instance !== null && (
          <Box component="p" m="8px 0 0" c="dimmed" className="wraps">
            Error ID: <code>{error.instance}</code>
          </Box>
        )}
        {onRetry && (
          <Button variant="default" size="xs" mt={12} onClick={onRetry} loading={busy}>
            Try again
          </Button>
        )}
        {action !== undefined && <Box mt="md">{action}</Box>}
      </div>
    </div>
  );
}

interface EmptyStateProps {
  title: string;
  children: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div className={classes.empty}>
      <Box component="p" m={0} fw={600}>
        {title}
      </Box>
      <div className={classes.text}>{children}</div>
      {action !== undefined && <Box mt="md">{action}</Box>}
    </div>
  );
}

/** Shows grey lines of about the height of the expected content. */
export function LoadingState({ lines = 4, height = 20 }: { lines?: number; height?: number }) {
  return (
    <Stack gap="sm" py="xs" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={height} width={`${100 - ((line * 17) % 40)}%`} radius={4} />
      ))}
    </Stack>
  );
}

/** Whether the page shows that the server cannot be reached, so that its parts do not repeat it. */
export const OutageContext = createContext(false);

/** The parts of a query that are shown. */
export interface ShownQuery<Data> {
  data: Data | undefined;
  error: ShownError | null;
  isFetched: boolean;
  isFetching: boolean;
  refetch: () => unknown;
}

/** Shows that content needs an account; `action` is what signing in allows, such as "see this". */
export function SignInState({ action }: { action: string }) {
  return (
    <EmptyState title={`Sign in to ${action}`} action={<SignInLink />}>
      This needs an account on this installation. If you have none, ask an owner of a workspace to
      invite you.
    </EmptyState>
  );
}

interface LoadedProps<Data> {
  query: ShownQuery<Data>;
  loading?: ReactNode;
  /** Shown instead of the error if the server does not have the item. */
  missing?: ReactNode;
  children: (data: Data) => ReactNode;
}

/** The status of an error without a response. */
const UNREACHABLE = 0;

/** The status of content that needs an account. */
const UNAUTHORIZED = 401;

/** Not found, or not a valid name. */
const MISSING = [404, 422];

/** Shows a query's data or state. Data or error stay visible while it is refetched. */
export function Loaded<Data>({ query, loading, missing, children }: LoadedProps<Data>) {
  const [lastError, setLastError] = useState(query.error);
  if (query.error && query.error !== lastError) setLastError(query.error);
  if (query.data !== undefined) return children(query.data);
  // A query forgets its error while it is refetched.
  const error = query.error ?? (query.isFetched ? lastError : null);
  if (error) {
    if (missing !== undefined && MISSING.includes(error.status ?? 0)) {
      return <Suspense fallback={<LoadingState />}>{missing}</Suspense>;
    }
    // The page shows one error for all its parts.
    if (error.status === UNREACHABLE && use(OutageContext)) {
      return <p className={ui.quiet}>Not loaded.</p>;
    }
    if (error.status === UNAUTHORIZED) {
      return <SignInState action="see this" />;
    }
    return (
      <ErrorState error={error} onRetry={() => void query.refetch()} busy={query.isFetching} />
    );
  }
  return loading ?? <LoadingState />;
}
