import { Box } from '@mantine/core';
import type { CheckOut, ClaimOut } from '@/api/schema';
import { type Column, ROW_TITLE } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { formatCount, formatFigure, formatInterval, formatValue } from '@/lib/format';
import classes from './ClaimTable.module.css';
import { FindingBadge } from './FindingBadge';

const COLUMNS: readonly Column<ClaimOut>[] = [
  { header: 'Claim', ...ROW_TITLE, cell: (claim) => <Claim claim={claim} /> },
  { header: 'Finding', card: 'line', cell: (claim) => <FindingBadge cause={claim.cause} /> },
  {
    header: 'Our number',
    wraps: true,
    width: '340px',
    card: 'line',
    cell: (claim) => <OurNumber claim={claim} />,
  },
];

/** Lists the claims of a study with our findings and the numbers behind them. */
export function ClaimTable({ claims }: { claims: readonly ClaimOut[] }) {
  return (
    <DataTable
      label="Claims"
      layout="cards"
      rows={claims}
      rowKey={(claim) => claim.words}
      columns={COLUMNS}
    />
  );
}

function Claim({ claim }: { claim: ClaimOut }) {
  return (
    <div className={classes.claim}>
      {claim.question && <p className={classes.quiet}>{claim.question}</p>}
      <Box component="p" m={0} maw="64ch" fw={400}>
        {claim.words}
      </Box>
      {claim.checks.length < 2 ? (
        <p className={classes.quiet}>{claim.source_location}</p>
      ) : (
        <details className={classes.checks}>
          <summary>
            {claim.source_location} · {formatCount(claim.checks.length, 'comparison')}
          </summary>
          <ul>
            {claim.checks.map((check, index) => (
              <li key={index}>
                <FindingBadge cause={check.cause} /> <Check check={check} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function OurNumber({ claim }: { claim: ClaimOut }) {
  const { deciding, unchecked } = claim;
  if (deciding === null || deciding === undefined) {
    return <p className={classes.quiet}>{unchecked}</p>;
  }
  return (
    <div className={classes.number}>
      <Check check={deciding} />
    </div>
  );
}

function Check({ check }: { check: CheckOut }) {
  const value = showValue(check);
  return (
    <span className={classes.check}>
      {value !== null && (
        <span className={classes.value}>
          <strong>{value}</strong> <span className={classes.quiet}>{showInterval(check)}</span>
        </span>
      )}
      <span className={classes.quiet}>
        {check.label}; claimed {check.expected}.
        {check.reason !== null && check.reason !== undefined && ` ${check.reason}`}
      </span>
    </span>
  );
}

function showValue({ value, unit }: CheckOut): string | null {
  if (value === null || value === undefined) return null;
  return unit === '×' ? `${formatFigure(value)}×` : formatValue(value, unit);
}

function showInterval({ value, low, high, unit, n }: CheckOut): string {
  const interval = formatInterval(value ?? 0, low, high, unit);
  const trials = formatCount(n, 'trial');
  return interval === null ? trials : `${interval}, ${trials}`;
}
