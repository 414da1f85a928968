import { Box, Button } from '@mantine/core';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import type { SessionOut } from '@/api/schema';
import { useSignOut } from '@/api/session';
import { PageHeader } from '@/components/Page';
import { EmptyState, ErrorState, Loaded } from '@/components/States';
import { explainRefusal } from '@/features/sign-in/refusals';
import { SignInForm } from '@/features/sign-in/SignInForm';

const route = getRouteApi('/sign-in');

/** Signs in, and returns to the page that the URL names. */
export function SignInPage(): ReactNode {
  const { to = '/', refused } = route.useSearch();
  const router = useRouter();
  const query = api.useQuery('get', '/api/v1/session');
  const leave = () => router.history.replace(to);
  return (
    <>
      <PageHeader title="Sign in" />
      {refused !== undefined && (
        <Box maw={400} mb="lg">
          <ErrorState
            error={{ title: 'Single sign-on did not work', message: explainRefusal(refused) }}
          />
        </Box>
      )}
      <Loaded query={query}>
        {(session) =>
          session.proof === 'session' ? (
            <SignedIn session={session} onLeave={leave} />
          ) : (
            <SignInForm session={session} to={to} onDone={leave} />
          )
        }
      </Loaded>
    </>
  );
}

function SignedIn({ session, onLeave }: { session: SessionOut; onLeave: () => void }) {
  const signOut = useSignOut();
  return (
    <EmptyState
      title={`You are signed in ${session.user ? `as ${session.user.email}` : 'with the token'}`}
      action={
        <Button.Group>
          <Button size="xs" onClick={onLeave}>
            Continue
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={signOut.isPending}
            onClick={() => signOut.mutate()}
          >
            Sign out
          </Button>
        </Button.Group>
      }
    >
      Sign out to use another account in this browser.
    </EmptyState>
  );
}
