import { api } from '@/api/client';
import type { IdentityOut } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { type Column, ROW_TITLE, named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { Section } from '@/components/Page';
import { ErrorState } from '@/components/States';

/** Lists the person's accounts at the provider of single sign-on; nothing without any. */
export function Identities() {
  const { data, error } = api.useQuery('get', '/api/v1/account/identities');
  const identities = data?.items ?? [];
  if (identities.length === 0 && error === null) return null;
  return (
    <Section title="Single sign-on" hint="Accounts with which you can sign in.">
      {error ? (
        <ErrorState error={error} />
      ) : (
        <DataTable
          label="Single sign-on"
          layout="cards"
          columns={COLUMNS}
          rows={identities}
          rowKey={({ issuer, subject }) => `${issuer} ${subject}`}
        />
      )}
    </Section>
  );
}

const COLUMNS: readonly Column<IdentityOut>[] = [
  {
    header: 'Provider',
    ...ROW_TITLE,
    cell: ({ issuer }) => <span className="wraps">{issuer}</span>,
  },
  {
    header: 'Account',
    wraps: true,
    card: 'line',
    cell: ({ subject }) => <code className="wraps">{subject}</code>,
  },
  {
    ...named('Since'),
    card: 'foot',
    cell: ({ created_at }) => <Ago at={created_at} />,
  },
];
