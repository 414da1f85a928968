/** Members of the workspace, and invitations to it. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { asDone, client, unwrap } from './client';
import type { InvitationIn, InvitationOut, MemberOut, NewInvitationOut, Role } from './schema';
import { sessionQueries } from './session';

export type { Role };
export type Member = MemberOut;
export type Invitation = InvitationOut;
export type NewInvitation = NewInvitationOut;

/** The meaning of each role, from the fewest permissions to all. */
export const ROLES: readonly { role: Role; name: string; meaning: string }[] = [
  { role: 'viewer', name: 'Viewer', meaning: 'Sees all runs, histories and changes.' },
  { role: 'member', name: 'Member', meaning: 'Starts runs, and decides about changes.' },
  {
    role: 'maintainer',
    name: 'Maintainer',
    meaning:
      'As a member, and manages schedules, webhooks and limits, changes the visibility of runs, and archives and deletes runs.',
  },
  {
    role: 'owner',
    name: 'Owner',
    meaning: 'As a maintainer, and manages members, access tokens and retention.',
  },
];

export const memberQueries = {
  list: () =>
    queryOptions({
      queryKey: ['members'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/members', { signal })),
      select: (page): Member[] => page.items,
    }),
  invitations: () =>
    queryOptions({
      queryKey: ['invitations'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/invitations', { signal })),
      select: (page): Invitation[] => page.items,
    }),
};

export function useChangeRole(userId: string) {
  return useMemberChange((role: Role) =>
    unwrap(client.PATCH('/api/v1/members/{user_id}', { ...at(userId), body: { role } })),
  );
}

export function useRemoveMember(userId: string) {
  return useMemberChange(() =>
    unwrap(client.DELETE('/api/v1/members/{user_id}', at(userId)).then(asDone)),
  );
}

export function useLeaveWorkspace() {
  return useMemberChange(() => unwrap(client.DELETE('/api/v1/membership').then(asDone)));
}

function at(userId: string) {
  return { params: { path: { user_id: userId } } };
}

/** The changed member may be the caller, whose permissions then change. */
function useMemberChange<Asked, Answered>(ask: (asked: Asked) => Promise<Answered>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ask,
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['members'] }),
        queries.invalidateQueries(sessionQueries.current()),
      ]),
  });
}

export function useInvite() {
  return useInvitationChange((body: InvitationIn) =>
    unwrap(client.POST('/api/v1/invitations', { body })),
  );
}

export function useRevokeInvitation() {
  return useInvitationChange((id: string) =>
    unwrap(
      client
        .DELETE('/api/v1/invitations/{invitation_id}', { params: { path: { invitation_id: id } } })
        .then(asDone),
    ),
  );
}

function useInvitationChange<Asked, Answered>(ask: (asked: Asked) => Promise<Answered>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ask,
    onSettled: () => queries.invalidateQueries({ queryKey: ['invitations'] }),
  });
}
