import type { GuardedLoad, GuardedMetric, GuardReport, MetricOut } from '@/api/schema';
import { CodeBlock } from '@/components/CodeBlock';
import { DataTable } from '@/components/data-table/DataTable';
import { Facts } from '@/components/Facts';
import { FoldedSection } from '@/components/FoldedSection';
import ui from '@/components/ui.module.css';
import { formatCount, formatExact, joinWords } from '@/lib/format';
import { formatRatio, formatRatioInterval } from '@/lib/ratio';
import { formatShare, isNumber, titleOf } from './changes';
import classes from './GuardEvidence.module.css';
import { ScriptTable } from './ScriptTable';

interface GuardEvidenceProps {
  report: GuardReport;
  metrics: readonly MetricOut[];
}

/** Shows how a guard was measured, its warnings, and the command that repeats it. */
export function GuardEvidence({ report, metrics }: GuardEvidenceProps) {
  const { loads, warnings, command, base, head } = report;
  return (
    <FoldedSection anchor="evidence" title="Evidence" hint={summarize(report)}>
      <Facts
        facts={[
          ['Pairs', loads.map(({ load, pairs }) => `${load}: ${pairs}`).join(', ')],
          [
            'Time of trials',
            `${formatExact(report.minutes, 'min')} of at most ${formatExact(report.most_minutes, 'min')}`,
          ],
          ['Host', report.host],
          ['Runtime', report.runtime],
          ['Load by', joinWords([...new Set(loads.map(({ engine }) => engine))])],
          ['Build of the base', base.build && <code>{base.build.slice(0, SHOWN_CHARACTERS)}</code>],
          ['Build of the head', head.build && <code>{head.build.slice(0, SHOWN_CHARACTERS)}</code>],
        ]}
      />
      <HostTable loads={loads} metrics={metrics} />
      {loads.map(
        ({ load, script, changes }) =>
          script &&
          changes.length > 0 && (
            <div key={load}>
              <h3 className={classes.title}>{load}: checks and thresholds of the script</h3>
              <ScriptTable load={load} script={script} />
            </div>
          ),
      )}
      {warnings.length > 0 && (
        <>
          <h3 className={classes.title}>Warnings</h3>
          <ul>
            {warnings.map((warning) => (
              <li key={warning} className="wraps">
                {warning}
              </li>
            ))}
          </ul>
        </>
      )}
      {command !== '' && (
        <>
          <h3 className={classes.title}>Repeat</h3>
          <CodeBlock label="In a clone of the repository" code={command} />
        </>
      )}
    </FoldedSection>
  );
}

const SHOWN_CHARACTERS = 12;

/** `8 pairs of trials on bench-1. 2 warnings.` */
function summarize({ loads, host, warnings }: GuardReport): string {
  const pairs = loads.reduce((sum, load) => sum + load.pairs, 0);
  const count = warnings.length === 0 ? '' : ` ${formatCount(warnings.length, 'warning')}.`;
  const trials = pairs === 0 ? 'No pairs' : formatCount(pairs, 'pair');
  return `${trials} of trials on ${host}.${count}`;
}

interface Row {
  load: string;
  change: GuardedMetric;
}

/** Shows what the host can see: the base compared with itself, and the smallest visible change. */
function HostTable({
  loads,
  metrics,
}: {
  loads: readonly GuardedLoad[];
  metrics: GuardEvidenceProps['metrics'];
}) {
  const rows: Row[] = loads.flatMap(({ load, changes }) =>
    changes
      .filter((change) => isNumber(change.visible) || change.base_against_itself)
      .map((change) => ({ load, change })),
  );
  if (rows.length === 0) return null;
  return (
    <>
      <h3 className={classes.title}>What this host can see</h3>
      <DataTable
        label="What this host can see"
        layout="fit"
        rows={rows}
        rowKey={({ load, change }) => `${load} ${change.metric}`}
        {...(loads.length > 1 && { groupBy: (row: Row) => row.load })}
        columns={[
          {
            id: 'metric',
            header: 'Metric',
            isRowHeader: true,
            cell: ({ change }) => titleOf(change.metric, metrics),
          },
          {
            id: 'itself',
            header: 'Base against itself',
            isNumeric: true,
            cell: ({ change: { base_against_itself: own } }) =>
              own ? (
                <>
                  {formatRatio(own.ratio)}{' '}
                  <span className={ui.quiet}>{formatRatioInterval(own)}</span>
                </>
              ) : (
                '–'
              ),
          },
          {
            id: 'visible',
            header: 'Detectable from',
            isNumeric: true,
            cell: ({ change: { visible } }) => (isNumber(visible) ? formatShare(visible) : '–'),
          },
        ]}
      />
    </>
  );
}
