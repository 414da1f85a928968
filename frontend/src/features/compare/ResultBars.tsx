import { ActionIcon, Tooltip } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Pair } from '@/api/comparisons';
import { IntervalBar } from '@/charts/IntervalBar';
import { MarkedName } from '@/components/Marker';
import { Interval, Quantity } from '@/components/Quantity';
import { Verdicts } from '@/components/VerdictBadge';
import { describeDifference } from '@/lib/differences';
import { formatDateTime } from '@/lib/format';
import { describeLoad } from '@/lib/load';
import type { Entry } from './labels';
import { RatioText } from './RatioText';
import classes from './ResultBars.module.css';

interface ResultBarsProps {
  entries: readonly Entry[];
  metric: string;
  metricTitle: string;
  /** Absent where the selection is fixed. */
  onBaseline?: ((cell: string) => void) | undefined;
  onRemove?: ((cell: string) => void) | undefined;
}

/** Lists every result by one metric: bar with whisker, ratio to the baseline, and why it is not comparable. */
export function ResultBars({
  entries,
  metric,
  metricTitle,
  onBaseline,
  onRemove,
}: ResultBarsProps) {
  const estimates = entries.flatMap(({ cell }) => cell.summary[metric] ?? []);
  const most = Math.max(0, ...estimates.map((estimate) => estimate.estimate));
  const end =
    Math.min(Math.max(most, ...estimates.map((estimate) => estimate.high ?? 0)), most * 1.6) || 1;
  return (
    <table className={classes.table}>
      <caption className={classes.caption}>
        {metricTitle}. Bars start at zero; whiskers show 95 % intervals; × is the ratio to the
        baseline. Trials of the same run are compared in pairs.
      </caption>
      <thead>
        <tr>
          <th scope="col">Result</th>
          <th scope="col" className={classes.barHead}>
            {metricTitle}
          </th>
          <th scope="col" className={classes.number}>
            Estimate
          </th>
          <th scope="col">Ratio to baseline</th>
          <th scope="col">Verdict</th>
          {onRemove && <th scope="col" aria-label="Remove" />}
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <Row
            key={entry.id}
            entry={entry}
            metric={metric}
            end={end}
            onBaseline={onBaseline}
            onRemove={onRemove}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  entry: Entry;
  metric: string;
  end: number;
  onBaseline: ((cell: string) => void) | undefined;
  onRemove: ((cell: string) => void) | undefined;
}

function Row({ entry, metric, end, onBaseline, onRemove }: RowProps) {
  const { cell, pair, label, id } = entry;
  const found = cell.summary[metric];
  const hatched = cell.excluded || pair?.comparability === 'incomparable';
  return (
    <tr className={classes.row} data-apart={hatched}>
      <th scope="row" className={classes.name}>
        <MarkedName name={label} colour={cell.framework.colour} />
        <div className={classes.quiet}>
          <Link to="/r/$run" params={{ run: cell.run_slug }}>
            {formatDateTime(cell.at)}
          </Link>
          {` · ${cell.scenario.name}, ${describeLoad(cell)} · ${cell.host}, ${cell.runtime}`}
        </div>
      </th>
      <td className={classes.bar}>
        {found && (
          <IntervalBar
            estimate={found.estimate}
            low={found.low}
            high={found.high}
            end={end}
            colour={cell.framework.colour}
            excluded={hatched}
          />
        )}
        {pair && <WhyApart pair={pair} />}
      </td>
      <td className={classes.number} data-of="estimate">
        <Quantity value={found?.estimate} unit={found?.unit ?? ''} />
        {found && (
          <div>
            <Interval
              estimate={found.estimate}
              low={found.low ?? null}
              high={found.high ?? null}
              unit={found.unit}
            />
          </div>
        )}
      </td>
      <td className={classes.against}>
        <RatioText pair={pair} excluded={cell.excluded} metric={metric} />
        {pair && onBaseline && (
          <div>
            <button
              type="button"
              className={classes.link}
              aria-label={`${label}: make baseline`}
              onClick={() => {
                onBaseline(id);
              }}
            >
              make baseline
            </button>
          </div>
        )}
      </td>
      <td className={classes.verdicts}>
        <Verdicts verdicts={cell.verdicts} />
      </td>
      {onRemove && (
        <td className={classes.remove}>
          <Tooltip label="Remove from this comparison">
            <ActionIcon
              aria-label={`Remove ${label} from this comparison`}
              onClick={() => {
                onRemove(id);
              }}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </td>
      )}
    </tr>
  );
}

const MOST_NAMED = 3;

function WhyApart({ pair }: { pair: Pair }) {
  if (pair.comparability !== 'incomparable') return null;
  const named = pair.differences.slice(0, MOST_NAMED).map(describeDifference);
  const more = pair.differences.length - MOST_NAMED;
  return (
    <p className={classes.why}>
      Not comparable: {named.join('; ')}
      {more > 0 && (
        <Tooltip label={pair.differences.slice(MOST_NAMED).map(describeDifference).join('; ')}>
          <span className={classes.more} tabIndex={0}>
            ; and {more} more
          </span>
        </Tooltip>
      )}
      .
    </p>
  );
}
