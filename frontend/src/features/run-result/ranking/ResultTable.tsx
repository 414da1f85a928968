import { UnstyledButton } from '@mantine/core';
import { IntervalBar } from '@/charts/IntervalBar';
import type { Noise } from '@/api/hosts';
import { MarkedName } from '@/components/Marker';
import { Interval, Quantity } from '@/components/Quantity';
import { Verdicts } from '@/components/VerdictBadge';
import type { GroupRanking } from '@/api/runs';
import { noiseBand, type RankedCell, rankCells, scaleEnd } from './ranking';
import { RatioCell } from './RatioCell';
import { formatCount, formatFigure } from '@/lib/format';
import type { Group } from '@/features/run-result/selection/groups';
import classes from './ResultTable.module.css';
import { isAlone } from '@/lib/visible';

interface ResultTableProps {
  group: Group;
  ranking: GroupRanking;
  only: string;
  /** The host's noise in this metric; null without a calibration. */
  noise: Noise | null;
  onIsolate: (framework: string) => void;
}

/** Draws all results of a group by one metric: rank, bar with whisker, interval, n, verdicts. */
export function ResultTable({ group, ranking, only, noise, onIsolate }: ResultTableProps) {
  const metricTitle = ranking.title;
  const ranked = rankCells(group.cells, ranking);
  const end = scaleEnd(ranked);
  const band = noiseBand(ranked, noise?.smallest_ratio);
  return (
    <table className={classes.table}>
      <caption className={classes.caption}>
        {metricTitle} of each framework, best first. Bars start at zero; whiskers show 95 %
        intervals. Frameworks with the same rank are statistically tied, or differ too little to
        matter (paired trials, Holm-corrected at 5 %).
        {noise &&
          band &&
          ` Grey band: differences within ${formatFigure(noise.smallest_ratio)}× of the best may be noise of this host (A/A test with ${formatCount(noise.trials, 'trial')} each).`}
      </caption>
      <thead>
        <tr>
          <th scope="col" className={classes.rank}>
            Rank
          </th>
          <th scope="col">Framework</th>
          <th scope="col" className={classes.barHead}>
            {metricTitle}
          </th>
          <th scope="col" className={classes.number}>
            Estimate
          </th>
          <th scope="col" className={classes.number}>
            95 % interval
          </th>
          <th scope="col" className={classes.number}>
            Ratio
          </th>
          <th scope="col" className={classes.number}>
            n
          </th>
          <th scope="col">Verdict</th>
        </tr>
      </thead>
      <tbody>
        {ranked.map((result) => (
          <ResultRow
            key={result.cell.id}
            ranked={result}
            end={end}
            band={band}
            isolated={isAlone(only, result.cell.framework.slug)}
            onIsolate={onIsolate}
          />
        ))}
      </tbody>
    </table>
  );
}

interface ResultRowProps {
  ranked: RankedCell;
  end: number;
  band: readonly [number, number] | null;
  isolated: boolean;
  onIsolate: (framework: string) => void;
}

function ResultRow({ ranked, end, band, isolated, onIsolate }: ResultRowProps) {
  const { cell, summary, rank } = ranked;
  const { framework } = cell;
  const excluding = cell.verdicts.filter((verdict) => verdict.excludes_from_ranking);
  return (
    <tr className={classes.row} data-isolated={isolated} data-excluded={cell.excluded}>
      <td className={classes.rank}>{rank ?? '–'}</td>
      <th scope="row" className={classes.name}>
        <UnstyledButton
          className={classes.isolate}
          aria-pressed={isolated}
          title={
            isolated
              ? 'Show all frameworks in the charts'
              : 'Show only this framework in the charts'
          }
          onClick={() => {
            onIsolate(framework.slug);
          }}
        >
          <MarkedName {...framework} />
        </UnstyledButton>
      </th>
      <td className={classes.bar}>
        {summary && (
          <IntervalBar
            estimate={summary.estimate}
            low={summary.low}
            high={summary.high}
            end={end}
            band={band}
            colour={framework.colour}
            excluded={cell.excluded}
          />
        )}
        {excluding.map(({ verdict, detail }) => (
          <p key={verdict} className={classes.why}>
            Excluded: {detail}
          </p>
        ))}
      </td>
      <td className={classes.number} data-of="estimate">
        <Quantity value={summary?.estimate} unit={summary?.unit ?? ''} />
      </td>
      <td className={classes.number} data-of="interval">
        {summary ? (
          <Interval
            estimate={summary.estimate}
            low={summary.low ?? null}
            high={summary.high ?? null}
            unit={summary.unit}
          />
        ) : (
          'no data'
        )}
      </td>
      <td className={classes.number} data-of="ratio">
        <RatioCell ratio={ranked.ratio} rank={rank} isBaseline={ranked.isBaseline} />
      </td>
      <td className={classes.number} data-of="n">
        {summary?.n ?? 0}
      </td>
      <td className={classes.verdicts}>
        {summary === null && cell.verdicts.length === 0 ? (
          '–'
        ) : (
          <Verdicts verdicts={cell.verdicts} />
        )}
      </td>
    </tr>
  );
}
