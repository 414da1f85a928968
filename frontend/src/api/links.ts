/** One-time links: the first operator, invitations and new passwords. */
import { queryOptions, useMutation } from '@tanstack/react-query';
import { asDone, client, unwrap } from './client';
import type { LinkOut, LinkUse } from './schema';
import { useSessionChange } from './session';

export type OneTimeLink = LinkOut;

export const linkQueries = {
  one: (key: string) =>
    queryOptions({
      queryKey: ['links', key],
      queryFn: ({ signal }) => unwrap(client.POST('/api/v1/links/read', { body: { key }, signal })),
      staleTime: Infinity,
      // The key is not kept longer than the page.
      gcTime: 0,
    }),
};

/** Sends a link that sets a new password. */
export function useResetRequest() {
  return useMutation({
    mutationFn: (email: string) =>
      unwrap(client.POST('/api/v1/links/reset', { body: { email } }).then(asDone)),
  });
}

/** Does what the link is for, and signs in. */
export function useOneTimeLink() {
  return useSessionChange((body: LinkUse) => unwrap(client.POST('/api/v1/links/use', { body })));
}
