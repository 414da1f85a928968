import type { CheckCalls, ComparedCheck, ScriptOutcome } from '@/api/schema';
import { named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { formatAmount } from '@/lib/format';
import classes from './ResponseDifferences.module.css';

interface Row {
  kind: 'check' | 'threshold';
  name: string;
  base: string;
  head: string;
}

/**
 * Lists how often the checks of a k6 script passed, those that the head fails more often first, and
 * in how many trials its thresholds held.
 */
export function ScriptTable({ load, script }: { load: string; script: ScriptOutcome }) {
  return (
    <DataTable
      label={`Checks and thresholds of ${load}`}
      layout="cards"
      rows={listRows(script)}
      rowKey={({ kind, name }) => `${kind} ${name}`}
      empty="The script has no checks and no thresholds."
      columns={[
        {
          id: 'name',
          header: 'Check or threshold',
          isRowHeader: true,
          wraps: true,
          width: '50%',
          cell: ({ name }) => <code className={classes.text}>{name}</code>,
        },
        {
          id: 'base',
          ...named('Base'),
          card: 'foot',
          wraps: true,
          cell: ({ base }) => base,
        },
        {
          id: 'head',
          ...named('Head'),
          card: 'foot',
          wraps: true,
          cell: ({ head }) => head,
        },
      ]}
    />
  );
}

function listRows({ checks, thresholds, trials }: ScriptOutcome): Row[] {
  const passed = ({ passes, fails }: { passes: number; fails: number }) =>
    `passed ${formatAmount(passes)} of ${formatAmount(passes + fails)}`;
  const kept = (count: number) =>
    `kept in ${formatAmount(count)} of ${formatAmount(trials)} trials`;
  return [
    ...[...checks]
      .sort((a, b) => riseOf(b) - riseOf(a))
      .map(({ name, base, head }): Row => ({
        kind: 'check',
        name,
        base: passed(base),
        head: passed(head),
      })),
    ...thresholds.map(({ metric, threshold, base, head }): Row => ({
      kind: 'threshold',
      name: `${metric}: ${threshold}`,
      base: kept(base),
      head: kept(head),
    })),
  ];
}

/** Return by how much the share of calls that fail rises from base to head. */
function riseOf({ base, head }: ComparedCheck): number {
  return shareOf(head) - shareOf(base);
}

/** Return the share of calls that fail; 1 if the check is never called. */
function shareOf({ passes, fails }: CheckCalls): number {
  return passes + fails === 0 ? 1 : fails / (passes + fails);
}
