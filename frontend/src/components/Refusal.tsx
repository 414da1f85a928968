import { ErrorState, type ShownError } from './States';
import { openSignIn } from '@/lib/sign-in';

interface RefusalProps {
  error: ShownError & { status?: number };
  /** Called once the person has signed in; the caller then sends the request again. */
  onSignedIn: () => void;
}

/** Shows why a request was rejected, with a sign-in button if that helps. */
export function Refusal({ error, onSignedIn }: RefusalProps) {
  if (error.status !== 401) return <ErrorState error={error} />;
  return (
    <ErrorState
      error={{
        title: error.title ?? 'Sign in first',
        message: error.message,
      }}
      retryLabel="Sign in"
      onRetry={() => {
        openSignIn(onSignedIn);
      }}
    />
  );
}
