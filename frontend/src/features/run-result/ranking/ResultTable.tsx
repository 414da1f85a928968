import { Tooltip, UnstyledButton, Box } from '@mantine/core';
import type { CellOut, GroupRankingOut } from '@/api/schema';
import { scaleEnd } from '@/charts/bar-scale';
import { IntervalBar } from '@/charts/IntervalBar';
import { PairBadge } from '@/components/PairBadge';
import { DataTable } from '@/components/data-table/DataTable';
import { MarkedName } from '@/components/Marker';
import { Interval, Quantity } from '@/components/Quantity';
import ui from '@/components/ui.module.css';
import { splitInterval } from '@/lib/ratio';
import { noiseBand, type RankedCell, rankCells } from './ranking';
import { formatFigure } from '@/lib/format';
import type { VerdictName } from '@/lib/verdicts';
import { WorstWarning } from './WorstWarning';
import type { Group } from '@/features/run-result/selection/groups';
import classes from './ResultTable.module.css';
import { isAlone } from '@/lib/visible';

interface ResultTableProps {
  group: Group;
  ranking: GroupRankingOut;
  /** Verdicts of all results, which the page shows once. */
  shared: readonly VerdictName[];
  only: string;
  onIsolate: (framework: string) => void;
}

/** Draws all results of a group by one metric: rank, bar with whisker, interval, n, verdicts. */
export function ResultTable({ group, ranking, shared, only, onIsolate }: ResultTableProps) {
  const metricTitle = ranking.title;
  const ranked = rankCells(group.cells, ranking);
  const end = scaleEnd(ranked.flatMap(({ summary }) => summary ?? []));
  const band = noiseBand(ranked, ranking.detectable_ratio);
  return (
    <DataTable
      label={`Results by ${metricTitle}`}
      layout="cards"
      caption={
        <>
          <p>
            {metricTitle} of each framework, best first. Bars start at zero; whiskers show 95 %
            intervals.
          </p>
          <p>
            Frameworks with the same rank are equivalent or cannot be told apart yet (paired trials,
            Holm-corrected at 5 %).
          </p>
          {band && <p>{describeBand(ranking.detectable_ratio)}</p>}
        </>
      }
      rows={ranked}
      rowKey={({ cell }) => cell.id}
      rowProps={({ cell }) => ({
        className: isAlone(only, cell.framework.slug) ? classes.isolated : undefined,
      })}
      columns={[
        {
          header: 'Rank',
          width: '48px',
          card: 'lead',
          tone: () => 'muted',
          cell: ({ rank }) => rank ?? '–',
        },
        {
          header: 'Framework',
          isRowHeader: true,
          card: 'title',
          tone: mutedIfExcluded,
          cell: ({ cell: { framework } }) => (
            <IsolateButton
              framework={framework}
              isIsolated={isAlone(only, framework.slug)}
              onIsolate={onIsolate}
            />
          ),
        },
        {
          id: 'bar',
          header: metricTitle,
          width: '28%',
          cell: (result) => <Bar result={result} end={end} band={band} />,
        },
        {
          header: 'Estimate',
          isNumeric: true,
          card: 'value',
          tone: mutedIfExcluded,
          cell: ({ summary }) => (
            <Quantity
              value={summary?.estimate}
              unit={summary?.unit ?? ''}
              isBound={summary?.is_bound}
            />
          ),
        },
        {
          header: '95 % interval',
          isNumeric: true,
          tone: mutedIfExcluded,
          cell: ({ summary }) =>
            summary === null ? (
              'no data'
            ) : (
              <Interval
                estimate={summary.estimate}
                low={summary.low ?? null}
                high={summary.high ?? null}
                values={summary.values}
                unit={summary.unit}
              />
            ),
        },
        {
          header: 'Ratio',
          isNumeric: true,
          tone: mutedIfExcluded,
          cell: ({ ratio, isBaseline }) => <RatioCell ratio={ratio} isBaseline={isBaseline} />,
        },
        {
          header: 'n',
          isNumeric: true,
          card: 'hidden',
          tone: mutedIfExcluded,
          cell: ({ summary }) => summary?.n ?? 0,
        },
        {
          header: 'Warnings',
          width: '22%',
          cell: ({ cell }) => (
            <WorstWarning
              warnings={cell.verdicts.filter(({ verdict }) => !shared.includes(verdict))}
            />
          ),
        },
      ]}
    />
  );
}

function describeBand(detectableRatio: number): string {
  return `Grey band: differences from the best of less than ${formatFigure(detectableRatio)}× may be noise of this host or error of its load generator.`;
}

function mutedIfExcluded({ cell }: RankedCell) {
  return cell.excluded ? 'muted' : undefined;
}

interface IsolateButtonProps {
  framework: CellOut['framework'];
  isIsolated: boolean;
  onIsolate: (framework: string) => void;
}

function IsolateButton({ framework, isIsolated, onIsolate }: IsolateButtonProps) {
  return (
    <Tooltip
      label={
        isIsolated ? 'Show all frameworks in the charts' : 'Show only this framework in the charts'
      }
    >
      <UnstyledButton
        className={classes.isolate}
        aria-pressed={isIsolated}
        onClick={() => onIsolate(framework.slug)}
      >
        <MarkedName {...framework} />
      </UnstyledButton>
    </Tooltip>
  );
}

interface BarProps {
  result: RankedCell;
  end: number;
  band: readonly [number, number] | null;
}

function Bar({ result: { cell, summary }, end, band }: BarProps) {
  if (summary === null) return null;
  return (
    <IntervalBar
      estimate={summary.estimate}
      low={summary.low}
      high={summary.high}
      end={end}
      band={band}
      colour={cell.framework.colour}
      excluded={cell.excluded}
      isBound={summary.is_bound}
    />
  );
}

/** Draws the ratio to the baseline, such as `1.54× [1.5, 1.6]`, and what is known about the pair. */
function RatioCell({ ratio, isBaseline }: Pick<RankedCell, 'ratio' | 'isBaseline'>) {
  if (isBaseline) return <span className={ui.quiet}>baseline</span>;
  if (ratio === null) return <span className={ui.quiet}>not comparable</span>;
  const { figure, interval } = splitInterval(ratio.text);
  return (
    <span>
      {figure} {interval !== null && <span className={ui.quiet}>{interval}</span>}
      <Box component="span" display="block">
        <PairBadge found={ratio} />
      </Box>
    </span>
  );
}
