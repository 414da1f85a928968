import { SignInLink } from './SignInLink';
import { ErrorState, type ShownError } from './States';

const UNAUTHORIZED = 401;

/** Shows why a request was rejected, with a link to sign in if that helps. */
export function Refusal({ error }: { error: ShownError }) {
  if (error.status !== UNAUTHORIZED) return <ErrorState error={error} />;
  return (
    <ErrorState
      error={{ ...error, title: error.title ?? 'Sign in first' }}
      action={<SignInLink variant="default" />}
    />
  );
}
