import { Box, Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { api } from '@/api/client';
import type { NewInvitationOut, SessionOut } from '@/api/schema';
import { Section } from '@/components/Page';
import { ShownOnce } from '@/components/ShownOnce';
import { Loaded } from '@/components/States';
import { InvitationList } from '@/features/members/InvitationList';
import { InviteForm } from '@/features/members/InviteForm';
import { MemberTable } from '@/features/members/MemberTable';
import { formatDateTime } from '@/lib/format';
import { useDocumentTitle } from '@/lib/hooks';

/** Members of the workspace, and invitations to it. */
export function MembersPage(): ReactNode {
  useDocumentTitle('Members');
  const session = api.useQuery('get', '/api/v1/session');
  return (
    <Loaded query={session}>
      {(current) => (
        <>
          {current.is_single_user ? (
            <Box component="p" m="0 0 16px" maw="72ch">
              Anyone on this machine is the owner. Invite a person to require signing in.
            </Box>
          ) : (
            <Members session={current} />
          )}
          {current.permissions.includes('own') && (
            <Invitations isSingleUser={current.is_single_user} />
          )}
        </>
      )}
    </Loaded>
  );
}

function Members({ session }: { session: SessionOut }) {
  const query = api.useQuery('get', '/api/v1/members');
  return (
    <Section title="Members">
      <Loaded query={query}>
        {({ items }) => <MemberTable members={items} session={session} />}
      </Loaded>
    </Section>
  );
}

function Invitations({ isSingleUser }: { isSingleUser: boolean }) {
  const query = api.useQuery('get', '/api/v1/invitations');
  const [adds, setAdds] = useState(isSingleUser);
  const [made, setMade] = useState<NewInvitationOut | null>(null);
  return (
    <Section
      title="Invitations"
      hint="A link with which a person joins this workspace. It works once."
      actions={
        <Button size="xs" variant="default" onClick={() => setAdds(!adds)}>
          {adds ? 'Close' : 'Invite a person'}
        </Button>
      }
    >
      {made && (
        <ShownOnce
          title="Copy the link now and send it. It is not shown again"
          label={`Works once, until ${formatDateTime(made.expires_at)}`}
          secret={made.url}
          onClose={() => setMade(null)}
        />
      )}
      {adds && (
        <InviteForm
          role={isSingleUser ? 'owner' : 'member'}
          onCreated={(invitation) => {
            setMade(invitation);
            setAdds(false);
          }}
        />
      )}
      <Loaded query={query}>
        {({ items }) =>
          adds && items.length === 0 ? null : <InvitationList invitations={items} />
        }
      </Loaded>
    </Section>
  );
}
