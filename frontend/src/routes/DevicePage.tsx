import { useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { api } from '@/api/client';
import type { DeviceLoginOut, SessionOut } from '@/api/schema';
import { useAccess } from '@/api/session';
import { DenialState } from '@/components/DenialNote';
import { PageHeader } from '@/components/Page';
import { EmptyState, Loaded } from '@/components/States';
import { CodeForm } from '@/features/device-login/CodeForm';
import { DecisionForm } from '@/features/device-login/DecisionForm';

/** Approves a sign-in of `tacho login`. The code may be in the fragment, never in the query. */
export function DevicePage(): ReactNode {
  const code = useCodeOfLink();
  const query = api.useQuery('get', '/api/v1/session');
  const { denial } = useAccess('account');
  return (
    <>
      <PageHeader title="Sign in on the command line" />
      <Loaded query={query}>
        {(session) =>
          denial === null ? (
            <Device key={code} code={code} session={session} />
          ) : (
            <DenialState denial={denial} action="approve the command line" />
          )
        }
      </Loaded>
    </>
  );
}

/** Return the code in the URL, and remove it from the address bar and the browser's history. */
function useCodeOfLink(): string {
  const { hash } = useLocation();
  const navigate = useNavigate();
  const [code, setCode] = useState(hash);
  if (hash !== '' && hash !== code) setCode(hash);
  useEffect(() => {
    if (hash !== '') void navigate({ to: '/device', hash: '', replace: true });
  }, [hash, navigate]);
  return code;
}

function Device({ code, session }: { code: string; session: SessionOut }) {
  const [found, setFound] = useState<{ code: string; login: DeviceLoginOut } | null>(null);
  const [isApproved, setIsApproved] = useState<boolean | null>(null);
  if (isApproved !== null) return <Done isApproved={isApproved} />;
  if (found === null) {
    return (
      <CodeForm initial={code} onFound={(entered, login) => setFound({ code: entered, login })} />
    );
  }
  return <DecisionForm {...found} session={session} onDecided={setIsApproved} />;
}

function Done({ isApproved }: { isApproved: boolean }) {
  return (
    <div role="status">
      {isApproved ? (
        <EmptyState title="The command line is approved">
          Return to the terminal. It is signed in within a few seconds. Your account page lists the
          token, and revokes it.
        </EmptyState>
      ) : (
        <EmptyState title="The command line is denied">
          The program gets no access. You can close this page.
        </EmptyState>
      )}
    </div>
  );
}
