import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api, client } from '@/api/client';
import type { BrowserSessionOut } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { actionColumn, type Column, ROW_TITLE, named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { Hint } from '@/components/Hint';
import { Section } from '@/components/Page';
import { Refusal } from '@/components/Refusal';
import { Loaded } from '@/components/States';
import ui from '@/components/ui.module.css';
import { nameBrowser } from './browser-name';

/** Lists the browsers in which the person is signed in, and signs them out. */
export function Sessions() {
  const query = api.useQuery('get', '/api/v1/account/sessions');
  const end = useMutation({
    mutationFn: async (ids: readonly string[]) => {
      for (const session_id of ids) {
        await client.DELETE('/api/v1/account/sessions/{session_id}', {
          params: { path: { session_id } },
        });
      }
    },
  });
  const others = (query.data?.items ?? [])
    .filter((session) => !session.is_current)
    .map(({ id }) => id);
  const columns: readonly Column<BrowserSessionOut>[] = [
    ...COLUMNS,
    actionColumn(({ id, is_current, user_agent }) =>
      is_current ? null : (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Sign out ${nameBrowser(user_agent)}`}
          loading={end.isPending && end.variables.includes(id)}
          onClick={() => end.mutate([id])}
        >
          Sign out
        </Button>
      ),
    ),
  ];
  return (
    <Section
      title="Sessions"
      hint="Browsers in which you are signed in."
      actions={
        others.length > 0 && (
          <Button
            size="xs"
            variant="default"
            loading={end.isPending && end.variables.length === others.length}
            onClick={() => end.mutate(others)}
          >
            Sign out others
          </Button>
        )
      }
    >
      {end.error && <Refusal error={end.error} />}
      <Loaded query={query}>
        {({ items }) => (
          <DataTable
            label="Sessions"
            layout="cards"
            columns={columns}
            rows={items}
            rowKey={({ id }) => id}
          />
        )}
      </Loaded>
    </Section>
  );
}

const COLUMNS: readonly Column<BrowserSessionOut>[] = [
  {
    header: 'Browser',
    ...ROW_TITLE,
    cell: ({ user_agent, is_current }) => (
      <span className="wraps">
        <Hint text={user_agent}>{nameBrowser(user_agent)}</Hint>
        {is_current && <span className={ui.quiet}> (this browser)</span>}
      </span>
    ),
  },
  { header: 'Address', card: 'line', cell: ({ address }) => <code>{address}</code> },
  { header: 'Signed in', card: 'hidden', cell: ({ created_at }) => <Ago at={created_at} /> },
  {
    ...named('Last seen'),
    card: 'foot',
    cell: ({ last_seen_at }) => <Ago at={last_seen_at} />,
  },
];
