import { memo } from 'react';
import { api } from '@/api/client';
import type { GroupRankingOut, RunOut } from '@/api/schema';
import { DataTable } from '@/components/data-table/DataTable';
import { MarkedName } from '@/components/Marker';
import { Section } from '@/components/Page';
import { formatCount } from '@/lib/format';
import { describeRun } from './describe-run';
import { listProvisional, type ProvisionalRow } from './provisional';
import classes from './ProvisionalRanking.module.css';

interface ProvisionalRankingProps {
  run: RunOut;
  queryKey: string;
  /** Cell of the current trial, whose group is shown first. */
  current: string | null;
}

/** Shows the ranking of the trials so far. It is fetched again after each trial. */
export const ProvisionalRanking = memo(function ProvisionalRanking({
  run,
  queryKey,
  current,
}: ProvisionalRankingProps) {
  const query = api.useQuery('get', '/api/v1/runs/{run_id}/ranking', {
    params: { path: { run_id: queryKey } },
  });
  const ranking = query.data?.groups ?? [];
  const shown = ranking.filter((group) => listProvisional(run, group).some(({ n }) => n > 0));
  if (shown.length === 0) return null;
  const isCurrent = ({ cells }: GroupRankingOut) =>
    cells.some(({ cell_id }) => cell_id === current);
  const first = shown.find(isCurrent) ?? shown[0];
  const others = shown.filter((group) => group !== first);
  return (
    <Section
      title="Ranking so far"
      hint="Provisional: ranks and intervals change until the last trial has ended."
    >
      {first && <GroupTable run={run} ranking={first} isAlone={ranking.length === 1} />}
      {others.length > 0 && (
        <details className={classes.others}>
          <summary>{formatCount(others.length, 'more load')}</summary>
          {others.map((group) => (
            <GroupTable key={group.group} run={run} ranking={group} isAlone={false} />
          ))}
        </details>
      )}
    </Section>
  );
});

interface GroupTableProps {
  run: RunOut;
  ranking: GroupRankingOut;
  isAlone: boolean;
}

function GroupTable({ run, ranking, isAlone }: GroupTableProps) {
  const rows = listProvisional(run, ranking);
  return (
    <div className={classes.group}>
      {!isAlone && <h3 className={classes.name}>{describeRun(run, ranking.group)}</h3>}
      <DataTable<ProvisionalRow>
        label={`Provisional ranking by ${ranking.title}`}
        layout="cards"
        rows={rows}
        rowKey={({ cell }) => cell.id}
        columns={[
          {
            header: 'Rank',
            width: '56px',
            card: 'lead',
            tone: () => 'muted',
            cell: ({ rank }) => rank ?? '–',
          },
          {
            header: 'Framework',
            isRowHeader: true,
            card: 'title',
            cell: ({ cell }) => <MarkedName {...cell.framework} />,
          },
          {
            id: 'value',
            header: ranking.title,
            isNumeric: true,
            card: 'value',
            tone: mutedIfExcluded,
            cell: ({ value }) => value,
          },
          {
            header: '95 % interval',
            isNumeric: true,
            tone: () => 'muted',
            cell: ({ interval }) => interval,
          },
          { header: 'Ratio', isNumeric: true, cell: ({ ratio }) => ratio },
          { header: 'Trials', isNumeric: true, tone: () => 'muted', cell: ({ trials }) => trials },
        ]}
      />
    </div>
  );
}

function mutedIfExcluded({ cell }: ProvisionalRow): 'muted' | undefined {
  return cell.excluded ? 'muted' : undefined;
}
