import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { useAccess } from '@/api/session';
import { DenialState } from '@/components/DenialNote';
import { PageHeader, Section } from '@/components/Page';
import { Loaded } from '@/components/States';
import { Identities } from '@/features/account/Identities';
import { PasswordSection } from '@/features/account/PasswordSection';
import { ProfileForm } from '@/features/account/ProfileForm';
import { Sessions } from '@/features/account/Sessions';
import { TokenSection } from '@/features/tokens/TokenSection';

/** The account of the person who is signed in. */
export function AccountPage(): ReactNode {
  const query = api.useQuery('get', '/api/v1/session');
  const { denial } = useAccess('account');
  return (
    <>
      <PageHeader title="Account" meta={query.data?.user?.email} />
      <Loaded query={query}>
        {({ user, workspace }) => {
          if (user === null || denial !== null) {
            return denial && <DenialState denial={denial} action="manage your account" />;
          }
          return (
            <>
              <Section title="Profile">
                <ProfileForm key={user.id} user={user} />
              </Section>
              <PasswordSection email={user.email} />
              <Identities />
              <Sessions />
              {workspace !== null && (
                <TokenSection
                  owner="me"
                  title="Personal access tokens"
                  hint={`For your scripts in workspace ${workspace.name}. They stop working when you leave it.`}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}
