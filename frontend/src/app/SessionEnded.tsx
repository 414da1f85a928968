import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { watchSession } from '@/api/watch-session';
import { Notice } from '@/components/Notice';
import { SignInLink } from '@/components/SignInLink';
import { hasDrafts } from '@/lib/drafts';
import { useSessionEnd } from '@/lib/session-end';

/** Shows once that the session has ended while the page was open. */
export function SessionEnded() {
  const queries = useQueryClient();
  const hasEnded = useSessionEnd();
  const { pathname } = useLocation();
  useEffect(() => watchSession(queries), [queries]);
  if (!hasEnded || pathname === '/sign-in') return null;
  return (
    <Notice title="Your session has ended">
      {hasDrafts()
        ? 'Sign in again to continue. Forms then show what you entered. '
        : 'Sign in again to continue. '}
      <SignInLink size="compact-xs" variant="default" ml={8} />
    </Notice>
  );
}
