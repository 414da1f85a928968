import { isFinished } from '@/api/runs';
import type { GroupRow, HostResult, MetricOut, RunGroupOut } from '@/api/schema';
import { CompareChosen } from '@/components/CompareChosen';
import { type Column, ROW_TITLE, named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { MarkedName } from '@/components/Marker';
import { Interval, Quantity } from '@/components/Quantity';
import ui from '@/components/ui.module.css';
import { showParameter } from '@/lib/parameters';

interface GroupTableProps {
  group: RunGroupOut;
  metrics: readonly MetricOut[];
}

/** Lists the main metric of each result, with a column for each host. */
export function GroupTable({ group, metrics }: GroupTableProps) {
  const swept = listSwept(group.rows);
  // Only results of ended runs can be compared.
  const ended = new Set(group.runs.filter((run) => isFinished(run.status)).map(({ id }) => id));
  const columns: Column<GroupRow>[] = [
    {
      header: 'Result',
      ...ROW_TITLE,
      cell: (row) => (
        <>
          <MarkedName {...row.framework} />
          <div className={ui.quiet}>{describeLoad(row, swept)}</div>
        </>
      ),
    },
    {
      ...named('Metric'),
      cell: ({ metric }) => metrics.find((info) => info.metric === metric)?.title ?? metric,
    },
    ...group.runs.map(({ id, host }): Column<GroupRow> => ({
      id,
      ...named(host),
      tone: (row) => (findResult(row, id)?.excluded ? 'muted' : undefined),
      cell: (row) => <Figure result={findResult(row, id)} />,
    })),
    {
      header: null,
      label: 'Compare',
      card: 'line',
      cell: ({ results }) => {
        const measured = results.filter(
          ({ run_id: run, summary }) => ended.has(run) && summary !== null,
        );
        return (
          measured.length > 1 && (
            <CompareChosen cells={measured.map((result) => result.cell_id)} label="Compare hosts" />
          )
        );
      },
    },
  ];
  return (
    <DataTable
      label="Results by host"
      layout="cards"
      columns={columns}
      rows={group.rows}
      rowKey={(row) => row.results.map(({ cell_id: cell }) => cell).join()}
    />
  );
}

function findResult(row: GroupRow, run: string): HostResult | undefined {
  return row.results.find((result) => result.run_id === run);
}

function Figure({ result }: { result: HostResult | undefined }) {
  if (!result?.summary) return <span className={ui.quiet}>no result yet</span>;
  const { summary } = result;
  return (
    <>
      <Quantity value={summary.estimate} unit={summary.unit} isBound={summary.is_bound} />{' '}
      <Interval {...summary} low={summary.low ?? null} high={summary.high ?? null} />
      {result.excluded && <div className={ui.quiet}>excluded from ranking</div>}
    </>
  );
}

/** Return the names of the parameters that differ between the rows of a scenario. */
function listSwept(rows: readonly GroupRow[]): Set<string> {
  const swept = new Set<string>();
  for (const row of rows) {
    const first = rows.find((other) => isAlike(other, row));
    for (const [name, value] of Object.entries(row.parameters)) {
      if (first?.parameters[name] !== value) swept.add(name);
    }
  }
  return swept;
}

function isAlike(one: GroupRow, other: GroupRow): boolean {
  return one.scenario.slug === other.scenario.slug && one.profile === other.profile;
}

function describeLoad({ scenario, profile, parameters }: GroupRow, swept: Set<string>): string {
  const values = Object.entries(parameters)
    .filter(([name]) => swept.has(name))
    .map(([name, value]) => showParameter(name, value));
  return [scenario.name, profile, ...values].join(' · ');
}
