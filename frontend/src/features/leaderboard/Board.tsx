import { Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { EntryOut, MetricOut } from '@/api/schema';
import { scaleEnd } from '@/charts/bar-scale';
import { IntervalBar } from '@/charts/IntervalBar';
import { Ago } from '@/components/Ago';
import { DataTable } from '@/components/data-table/DataTable';
import { Hint } from '@/components/Hint';
import { MarkedName } from '@/components/Marker';
import { PairBadge } from '@/components/PairBadge';
import { Interval, Quantity } from '@/components/Quantity';
import { Verdicts } from '@/components/VerdictBadge';
import { joinWords } from '@/lib/format';
import { splitInterval } from '@/lib/ratio';
import classes from './Board.module.css';

interface BoardProps {
  entries: readonly EntryOut[];
  title: string;
  /** A composite has no unit: its bars are ratios to the best. */
  isComposite: boolean;
  metrics: readonly MetricOut[];
  chosen: readonly string[];
  onToggle: (cell: string) => void;
}

/** Lists frameworks by rank. Those that are equivalent or cannot be told apart yet may share one. */
export function Board({ entries, title, isComposite, metrics, chosen, onToggle }: BoardProps) {
  const figures = new Map(entries.map((entry) => [entry, figureOf(entry, entries, isComposite)]));
  const end = scaleEnd([...figures.values()].filter((figure) => figure !== null));
  const names = new Map(
    entries.map(({ result }) => [result.framework.slug, result.framework.name]),
  );
  return (
    <DataTable
      label={`Leaderboard by ${title}`}
      layout="cards"
      caption={
        <>
          Latest valid result of each framework. Rank = 1 + the number of better frameworks
          (Holm-corrected over all pairs). Whiskers show 95 % intervals.
          {isComposite &&
            ' The composite is the weighted geometric mean of each trial’s metrics. Only its ratios are meaningful.'}
        </>
      }
      rows={entries}
      rowKey={({ result }) => result.cell_id}
      hasLine={(entry, before) => entry.rank !== before.rank}
      columns={[
        {
          header: null,
          label: 'Select to compare',
          width: '28px',
          card: 'lead',
          cell: ({ result }) => (
            <Checkbox
              aria-label={`Select ${result.framework.name} to compare`}
              checked={chosen.includes(result.cell_id)}
              onChange={() => onToggle(result.cell_id)}
            />
          ),
        },
        {
          header: 'Rank',
          width: '44px',
          card: 'lead',
          cell: ({ rank }) => <strong>{rank ?? '–'}</strong>,
        },
        {
          header: 'Framework',
          isRowHeader: true,
          card: 'title',
          cell: (entry) => <FrameworkName entry={entry} names={names} />,
        },
        {
          id: 'bar',
          header: title,
          width: '26%',
          cell: (entry) => (
            <Bar entry={entry} figure={figures.get(entry) ?? null} end={end} metrics={metrics} />
          ),
        },
        {
          id: 'estimate',
          header: isComposite ? 'Ratio to best' : 'Estimate',
          isNumeric: true,
          card: 'value',
          cell: (entry) => {
            const figure = figures.get(entry);
            if (!figure) return null;
            return (
              <>
                <Quantity value={figure.estimate} unit={figure.unit} isBound={figure.isBound} />
                <div className={classes.interval}>
                  <Interval
                    estimate={figure.estimate}
                    low={figure.low}
                    high={figure.high}
                    unit={figure.unit}
                  />
                </div>
              </>
            );
          },
        },
        { header: 'Ratio to best', cell: (entry) => <Against entry={entry} /> },
        {
          header: 'Verdict',
          card: 'foot',
          cell: ({ result }) => <Verdicts verdicts={result.verdicts} />,
        },
        {
          header: 'Measured',
          card: 'end',
          cell: ({ result }) => (
            <Link to="/r/$run" params={{ run: result.run_slug }} className={classes.when}>
              <Ago at={result.at} />
            </Link>
          ),
        },
      ]}
    />
  );
}

interface Figure {
  estimate: number;
  low: number | null;
  high: number | null;
  unit: string;
  isBound: boolean;
}

function figureOf(
  entry: EntryOut,
  entries: readonly EntryOut[],
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
    isBound: found.is_bound === true,
  };
}

interface FrameworkNameProps {
  entry: EntryOut;
  /** Names of all frameworks by slug. */
  names: ReadonlyMap<string, string>;
}

function FrameworkName({ entry: { result, equivalent, undecided }, names }: FrameworkNameProps) {
  const { framework } = result;
  const nameOf = (slug: string) => names.get(slug) ?? slug;
  return (
    <div className={classes.name}>
      <Link to="/frameworks/$slug" params={{ slug: framework.slug }}>
        <MarkedName {...framework} />
      </Link>
      <Others text="equivalent to" others={equivalent.map(nameOf)} />
      <Others text="cannot be told apart yet from" others={undecided.map(nameOf)} />
    </div>
  );
}

const MOST_NAMED = 2;

function Others({ text, others }: { text: string; others: readonly string[] }) {
  if (others.length === 0) return null;
  const [shown, hidden] = [others.slice(0, MOST_NAMED), others.slice(MOST_NAMED)];
  return (
    <div className={classes.quiet}>
      {text} {hidden.length === 0 ? joinWords([...shown]) : shown.join(', ')}
      {hidden.length > 0 && <Hint text={joinWords([...hidden])}> and {hidden.length} more</Hint>}
    </div>
  );
}

interface BarProps {
  entry: EntryOut;
  figure: Figure | null;
  end: number;
  metrics: readonly MetricOut[];
}

function Bar({ entry: { result, missing, coverage }, figure, end, metrics }: BarProps) {
  if (figure === null) {
    const titles = missing.map(
      (name) => metrics.find(({ metric }) => metric === name)?.title ?? name,
    );
    return (
      <span className={classes.quiet}>
        No data for {joinWords(titles)}
        {coverage > 0 && `; the rest covers ${Math.round(coverage * 100)} % of the weights`}.
      </span>
    );
  }
  return (
    <IntervalBar
      estimate={figure.estimate}
      low={figure.low}
      high={figure.high}
      end={end}
      colour={result.framework.colour}
      excluded={false}
      isBound={figure.isBound}
    />
  );
}

function Against({ entry }: { entry: EntryOut }) {
  const found = entry.to_best;
  if (!found) {
    if (entry.estimate === null) return null;
    const isRanked = entry.rank !== null || entry.estimate.is_bound !== true;
    return (
      <span className={classes.quiet}>
        {isRanked ? 'best estimate' : 'only a bound, not ranked'}
      </span>
    );
  }
  const { figure, interval } = splitInterval(found.text);
  return (
    <span className="figures">
      {figure} {interval !== null && <span className={classes.interval}>{interval}</span>}{' '}
      <PairBadge found={found} />
    </span>
  );
}
