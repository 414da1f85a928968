import { Stack } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { api } from '@/api/client';
import type { LinkOut } from '@/api/schema';
import { PageHeader } from '@/components/Page';
import { EmptyState, Loaded } from '@/components/States';
import { JoinAsUser } from '@/features/sign-in/JoinAsUser';
import { JoinForm } from '@/features/sign-in/JoinForm';
import { SingleSignOn } from '@/features/sign-in/SingleSignOn';
import { formatDateTime } from '@/lib/format';
import { useDocumentTitle } from '@/lib/hooks';

/** Uses a one-time link. Its key is in the fragment, which browsers send to no server. */
export function JoinPage(): ReactNode {
  useDocumentTitle('Join');
  const key = useKeyOfLink();
  if (key === '') {
    return (
      <>
        <PageHeader title="Open the link again" />
        <EmptyState title="This page needs a complete link">
          Its last part, after the #, is missing. It is removed from the address bar when the page
          opens, so reloading does not work.
        </EmptyState>
      </>
    );
  }
  return <Join key={key} linkKey={key} />;
}

/** Return the key in the URL, and remove it from the address bar and the browser's history. */
function useKeyOfLink(): string {
  const { hash } = useLocation();
  const navigate = useNavigate();
  const [key, setKey] = useState(hash);
  if (hash !== '' && hash !== key) setKey(hash);
  useEffect(() => {
    if (hash !== '') void navigate({ to: '/join', hash: '', replace: true });
  }, [hash, navigate]);
  return key;
}

function Join({ linkKey }: { linkKey: string }) {
  const query = api.useQuery('post', '/api/v1/links/read', { body: { key: linkKey } });
  const session = api.useQuery('get', '/api/v1/session');
  const navigate = useNavigate();
  const leave = () => void navigate({ to: '/' });
  return (
    <Loaded query={query} missing={<Invalid />}>
      {(link) => (
        <>
          <PageHeader
            title={describePurpose(link)}
            meta={`The link works once, until ${formatDateTime(link.expires_at)}.`}
          />
          <Stack gap="lg" maw={400}>
            <Loaded query={session}>
              {({ user, sign_in }) =>
                link.purpose === 'invitation' && user !== null ? (
                  <JoinAsUser linkKey={linkKey} link={link} email={user.email} onDone={leave} />
                ) : (
                  <>
                    {link.purpose === 'invitation' && sign_in.oidc !== null && (
                      <SingleSignOn label={`Join with ${sign_in.oidc}`} to="/" linkKey={linkKey} />
                    )}
                    <JoinForm linkKey={linkKey} link={link} onDone={leave} />
                  </>
                )
              }
            </Loaded>
          </Stack>
        </>
      )}
    </Loaded>
  );
}

function describePurpose({ purpose, workspace, role }: LinkOut): string {
  if (purpose === 'first_operator') return 'Create the first account of this installation';
  if (purpose === 'password_reset') return 'Set a new password';
  return `You are invited to workspace ${workspace ?? ''} as ${role ?? ''}`;
}

function Invalid() {
  return (
    <>
      <PageHeader title="This link does not work" />
      <EmptyState title="It has expired, was used or was revoked">
        A link works once and for a limited time. Ask the person who sent it for another one. If you
        have used it already, sign in.
      </EmptyState>
    </>
  );
}
