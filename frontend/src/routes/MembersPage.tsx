import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { memberQueries, type NewInvitation } from '@/api/members';
import { type Session, sessionQueries } from '@/api/session';
import { Section } from '@/components/Page';
import { ShownOnce } from '@/components/ShownOnce';
import { Loaded } from '@/components/States';
import { InvitationList } from '@/features/members/InvitationList';
import { InviteForm } from '@/features/members/InviteForm';
import classes from '@/features/members/Members.module.css';
import { MemberTable } from '@/features/members/MemberTable';
import { formatDateTime } from '@/lib/format';
import { useDocumentTitle } from '@/lib/hooks';

/** Members of the workspace, and invitations to it. */
export function MembersPage(): ReactNode {
  useDocumentTitle('Members');
  const session = useQuery(sessionQueries.current());
  return (
    <Loaded query={session}>
      {(current) => (
        <>
          {current.is_single_user ? (
            <p className={classes.text}>
              Anyone on this machine is the owner. Invite a person to require signing in.
            </p>
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

function Members({ session }: { session: Session }) {
  const query = useQuery(memberQueries.list());
  return (
    <Section title="Members">
      <Loaded query={query}>
        {(members) => <MemberTable members={members} session={session} />}
      </Loaded>
    </Section>
  );
}

function Invitations({ isSingleUser }: { isSingleUser: boolean }) {
  const query = useQuery(memberQueries.invitations());
  const [adds, setAdds] = useState(isSingleUser);
  const [made, setMade] = useState<NewInvitation | null>(null);
  return (
    <Section
      title="Invitations"
      hint="A link with which a person joins this workspace. It works once."
      actions={
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            setAdds(!adds);
          }}
        >
          {adds ? 'Close' : 'Invite a person'}
        </Button>
      }
    >
      {made && (
        <ShownOnce
          title="Copy the link now and send it. It is not shown again"
          label={`Works once, until ${formatDateTime(made.expires_at)}`}
          secret={made.url}
          onClose={() => {
            setMade(null);
          }}
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
        {(invitations) =>
          adds && invitations.length === 0 ? null : <InvitationList invitations={invitations} />
        }
      </Loaded>
    </Section>
  );
}
