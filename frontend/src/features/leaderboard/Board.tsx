import { Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { LeaderboardEntry } from '@/api/leaderboard';
import type { MetricInfo } from '@/api/metrics';
import { IntervalBar } from '@/charts/IntervalBar';
import { Ago } from '@/components/Ago';
import { MarkedName } from '@/components/Marker';
import { Interval, Quantity } from '@/components/Quantity';
import { Verdicts } from '@/components/VerdictBadge';
import { WordBadge } from '@/components/WordBadge';
import { formatFigure, joinWords } from '@/lib/format';
import classes from './Board.module.css';

interface BoardProps {
  entries: readonly LeaderboardEntry[];
  title: string;
  /** A composite has no unit: its bars are ratios to the best. */
  isComposite: boolean;
  metrics: readonly MetricInfo[];
  chosen: readonly string[];
  onToggle: (cell: string) => void;
}

/** Frameworks by rank. Those that are not significantly different share a rank. */
export function Board({ entries, title, isComposite, metrics, chosen, onToggle }: BoardProps) {
  const shown = entries.map((entry) => ({ entry, figure: figureOf(entry, entries, isComposite) }));
  const most = Math.max(0, ...shown.map(({ figure }) => figure?.estimate ?? 0));
  const widest = Math.max(0, ...shown.map(({ figure }) => figure?.high ?? 0));
  const end = Math.min(Math.max(most, widest), most * 1.6) || 1;
  return (
    <table className={classes.table}>
      <caption className={classes.caption}>
        Latest valid result of each framework. Rank = 1 + the number of significantly better
        frameworks (Holm-corrected over all pairs). Whiskers show 95 % intervals.
        {isComposite &&
          ' The composite is the weighted geometric mean of each trial’s metrics. Only its ratios are meaningful.'}
      </caption>
      <thead>
        <tr>
          <th scope="col" aria-label="Select to compare" />
          <th scope="col" className={classes.rank}>
            Rank
          </th>
          <th scope="col">Framework</th>
          <th scope="col" className={classes.barHead}>
            {title}
          </th>
          <th scope="col" className={classes.number}>
            {isComposite ? 'Ratio to best' : 'Estimate'}
          </th>
          <th scope="col">Ratio to best</th>
          <th scope="col">Verdict</th>
          <th scope="col">Measured</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ entry, figure }, index) => (
          <Row
            key={entry.result.cell_id}
            entry={entry}
            figure={figure}
            names={
              new Map(entries.map(({ result }) => [result.framework.slug, result.framework.name]))
            }
            opensGroup={index > 0 && entry.rank !== entries[index - 1]?.rank}
            end={end}
            metrics={metrics}
            checked={chosen.includes(entry.result.cell_id)}
            onToggle={onToggle}
          />
        ))}
      </tbody>
    </table>
  );
}

interface Figure {
  estimate: number;
  low: number | null;
  high: number | null;
  unit: string;
}

function figureOf(
  entry: LeaderboardEntry,
  entries: readonly LeaderboardEntry[],
  isComposite: boolean,
): Figure | null {
  const found = entry.estimate;
  if (found === null) return null;
  const best = entries.find((entry) => entry.estimate !== null && entry.to_best === null)?.estimate;
  const scale = isComposite && best ? best.estimate : 1;
  return {
    estimate: found.estimate / scale,
    low: typeof found.low === 'number' ? found.low / scale : null,
    high: typeof found.high === 'number' ? found.high / scale : null,
    unit: isComposite ? '×' : found.unit,
  };
}

interface RowProps {
  entry: LeaderboardEntry;
  figure: Figure | null;
  names: ReadonlyMap<string, string>;
  opensGroup: boolean;
  end: number;
  metrics: readonly MetricInfo[];
  checked: boolean;
  onToggle: (cell: string) => void;
}

function Row({ entry, figure, names, opensGroup, end, metrics, checked, onToggle }: RowProps) {
  const { result, rank, ties, missing, coverage } = entry;
  const { framework } = result;
  const titles = missing.map(
    (missingMetric) =>
      metrics.find(({ metric }) => metric === missingMetric)?.title ?? missingMetric,
  );
  const tied = ties.map((slug) => names.get(slug) ?? slug);
  return (
    <tr className={classes.row} data-opens={opensGroup}>
      <td className={classes.choose}>
        <Checkbox
          aria-label={`Select ${framework.name} to compare`}
          checked={checked}
          onChange={() => {
            onToggle(result.cell_id);
          }}
        />
      </td>
      <td className={classes.rank}>{rank ?? '–'}</td>
      <th scope="row" className={classes.name}>
        <Link to="/frameworks/$slug" params={{ slug: framework.slug }}>
          <MarkedName {...framework} />
        </Link>
        {tied.length > 0 && (
          <div
            className={classes.quiet}
            title={`No significant difference from ${joinWords(tied)}`}
          >
            tied with{' '}
            {joinWords(tied.length > 2 ? [...tied.slice(0, 2), `${tied.length - 2} more`] : tied)}
          </div>
        )}
      </th>
      <td className={classes.bar}>
        {figure ? (
          <IntervalBar
            estimate={figure.estimate}
            low={figure.low}
            high={figure.high}
            end={end}
            colour={framework.colour}
            excluded={false}
          />
        ) : (
          <span className={classes.quiet}>
            No data for {joinWords(titles)}
            {coverage > 0 && `; the rest covers ${Math.round(coverage * 100)} % of the weights`}.
          </span>
        )}
      </td>
      <td className={classes.number} data-of="estimate">
        {figure && (
          <>
            <Quantity value={figure.estimate} unit={figure.unit} />
            <div>
              <Interval {...figure} />
            </div>
          </>
        )}
      </td>
      <td className={classes.against}>
        <Against entry={entry} />
      </td>
      <td className={classes.verdicts}>
        <Verdicts verdicts={result.verdicts} />
      </td>
      <td className={classes.when}>
        <Link to="/r/$run" params={{ run: result.run_slug }}>
          <Ago at={result.at} />
        </Link>
      </td>
    </tr>
  );
}

function Against({ entry }: { entry: LeaderboardEntry }) {
  const found = entry.to_best;
  if (!found) {
    return entry.estimate ? <span className={classes.quiet}>best estimate</span> : null;
  }
  const { ratio, low, high, word, power, method, n } = found;
  return (
    <span className={classes.ratio}>
      {formatFigure(ratio)}×{' '}
      {typeof low === 'number' && typeof high === 'number' && (
        <span className={classes.interval}>
          [{formatFigure(low)}, {formatFigure(high)}]
        </span>
      )}{' '}
      {word && (
        <WordBadge
          word={word}
          power={power}
          basis={
            method === 'paired'
              ? `${n} pairs of trials of one run`
              : 'Independent trials, Welch’s t'
          }
        />
      )}
    </span>
  );
}
