import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { api, PAGES } from '@/api/client';
import type { ResetLinkOut, UserOut } from '@/api/schema';
import { NextPage } from '@/components/NextPage';
import { Section } from '@/components/Page';
import { ShownOnce } from '@/components/ShownOnce';
import { EmptyState, Loaded } from '@/components/States';
import { formatDateTime } from '@/lib/format';
import { UserTable } from './UserTable';

const PAGE_LENGTH = 50;
const TYPING_MS = 250;

/** The users of the installation, with a search. */
export function Users({ self }: { self: string | null }) {
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), TYPING_MS);
  const query = api.useInfiniteQuery(
    'get',
    '/api/v1/users',
    { params: { query: { search: search || undefined, limit: PAGE_LENGTH } } },
    { ...PAGES, placeholderData: keepPreviousData },
  );
  const [made, setMade] = useState<{ user: UserOut; link: ResetLinkOut } | null>(null);
  return (
    <Section title="Users" hint="Everyone who has an account on this installation.">
      {made && (
        <ShownOnce
          title={`Send this link to ${made.user.name} now. It is not shown again`}
          label={`Works once, until ${formatDateTime(made.link.expires_at)}`}
          secret={made.link.url}
          onClose={() => setMade(null)}
        />
      )}
      <TextInput
        maw={320}
        mb="sm"
        size="xs"
        type="search"
        aria-label="Search users"
        placeholder="Name or e-mail"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Loaded query={query}>
        {({ pages }) => {
          const users = pages.flatMap((page) => page.items);
          if (users.length === 0) {
            return search === '' ? (
              <EmptyState title="No users yet">
                Invite the first person in the settings of a workspace.
              </EmptyState>
            ) : (
              <EmptyState title="No user matches">Change or clear the search.</EmptyState>
            );
          }
          return (
            <UserTable
              users={users}
              self={self}
              onReset={(user, link) => {
                setMade({ user, link });
                window.scrollTo({ top: 0 });
              }}
            />
          );
        }}
      </Loaded>
      <NextPage query={query} label="Show more users" />
    </Section>
  );
}
