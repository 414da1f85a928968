import { api } from '@/api/client';
import type { TokenOut } from '@/api/schema';
import { SCOPES } from '@/api/tokens';
import { Ago } from '@/components/Ago';
import { ConfirmButton } from '@/components/ConfirmButton';
import { actionColumn, type Column, ROW_TITLE, named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import ui from '@/components/ui.module.css';
import { formatDateTime, joinWords } from '@/lib/format';
import { useNow } from '@/lib/hooks';
import classes from './Tokens.module.css';

const RENEW_MS = 60_000;

/** Lists access tokens: what they may do, when they expire, and their last use. */
export function TokenTable({ label, tokens }: { label: string; tokens: readonly TokenOut[] }) {
  return (
    <DataTable
      label={label}
      layout="cards"
      columns={COLUMNS}
      rows={tokens}
      rowKey={({ id }) => id}
    />
  );
}

const COLUMNS: readonly Column<TokenOut>[] = [
  {
    header: 'Name',
    ...ROW_TITLE,
    sortBy: ({ name }) => name,
    cell: (token) => (
      <div className="wraps">
        {token.name}
        <div className={ui.quiet}>
          <code>{token.prefix}…</code>
        </div>
      </div>
    ),
  },
  {
    header: 'Scope',
    wraps: true,
    card: 'value',
    cell: ({ scope }) => SCOPES.find((entry) => entry.scope === scope)?.name ?? scope,
  },
  {
    header: 'Restricted to',
    wraps: true,
    cell: ({ hosts, frameworks, services }) => {
      const items = [...(hosts ?? []), ...(frameworks ?? []), ...(services ?? [])];
      return items.length > 0 ? joinWords(items) : null;
    },
  },
  {
    header: 'Expires',
    sortBy: ({ expires_at }) => expires_at,
    cell: (token) => <Expiry token={token} />,
  },
  {
    ...named('Last use'),
    card: 'foot',
    sortBy: ({ last_used_at }) => last_used_at,
    cell: ({ last_used_at, last_address }) =>
      last_used_at === null ? (
        <span className={ui.quiet}>Never used</span>
      ) : (
        <>
          <Ago at={last_used_at} />
          {last_address !== null && (
            <div className={ui.quiet}>
              from <code>{last_address}</code>
            </div>
          )}
        </>
      ),
  },
  actionColumn((token) => (token.revoked_at === null ? <Revoke token={token} /> : null)),
];

function Expiry({ token: { expires_at, revoked_at } }: { token: TokenOut }) {
  const now = useNow(RENEW_MS);
  if (revoked_at !== null) {
    return <span className={classes.ended}>Revoked {formatDateTime(revoked_at)}</span>;
  }
  if (expires_at === null) return <>Never expires</>;
  const hasExpired = Date.parse(expires_at) <= now;
  return (
    <span className={hasExpired ? classes.ended : undefined}>
      {hasExpired ? 'Expired' : 'Expires'} {formatDateTime(expires_at)}
    </span>
  );
}

function Revoke({ token }: { token: TokenOut }) {
  const revoke = api.useMutation('delete', '/api/v1/tokens/{token_id}');
  return (
    <ConfirmButton
      label="Revoke…"
      name={`Revoke ${token.name}…`}
      title={`Revoke “${token.name}”?`}
      action="Revoke token"
      sending={revoke}
      request={{ params: { path: { token_id: token.id } } }}
    >
      Scripts that use it stop working at once. This cannot be undone.
    </ConfirmButton>
  );
}
