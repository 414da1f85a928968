import { ActionIcon, Box, Tooltip } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { PairOut } from '@/api/schema';
import { scaleEnd } from '@/charts/bar-scale';
import { IntervalBar } from '@/charts/IntervalBar';
import { type Column, ROW_TITLE } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { MarkedName } from '@/components/Marker';
import { Interval, Quantity } from '@/components/Quantity';
import { Verdicts } from '@/components/VerdictBadge';
import { describeDifference } from '@/lib/differences';
import { formatDateTime } from '@/lib/format';
import { type Entry, ownTraits } from './labels';
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
  const end = scaleEnd(entries.flatMap(({ cell }) => cell.summary[metric] ?? []));
  const cells = entries.map(({ cell }) => cell);
  const isHatched = ({ cell, pair }: Entry) =>
    cell.excluded || pair?.comparability === 'incomparable';
  const columns: Column<Entry>[] = [
    {
      header: 'Result',
      ...ROW_TITLE,
      cell: (entry) => <ResultName entry={entry} traits={ownTraits(entry.cell, cells)} />,
    },
    {
      id: 'bar',
      header: metricTitle,
      width: '28%',
      cell: (entry) => <Bar entry={entry} metric={metric} end={end} isHatched={isHatched(entry)} />,
    },
    {
      header: 'Estimate',
      isNumeric: true,
      card: 'value',
      tone: (entry) => (isHatched(entry) ? 'muted' : undefined),
      cell: ({ cell }) => <Estimate summary={cell.summary[metric]} />,
    },
    {
      header: 'Ratio to baseline',
      cell: (entry) => <Against entry={entry} metric={metric} onBaseline={onBaseline} />,
    },
    { header: 'Verdict', card: 'foot', cell: ({ cell }) => <Verdicts verdicts={cell.verdicts} /> },
  ];
  if (onRemove) {
    columns.push({
      header: null,
      label: 'Remove',
      width: '40px',
      card: 'end',
      cell: ({ id, label }) => (
        <Tooltip label="Remove from this comparison">
          <ActionIcon
            aria-label={`Remove ${label} from this comparison`}
            onClick={() => onRemove(id)}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      ),
    });
  }
  return (
    <DataTable
      label={`Results by ${metricTitle}`}
      layout="cards"
      caption={`${metricTitle}. Bars start at zero; whiskers show 95 % intervals; × is the ratio to the baseline. Trials of the same run are compared in pairs.`}
      rows={entries}
      rowKey={({ id }) => id}
      columns={columns}
    />
  );
}

interface ResultNameProps {
  entry: Entry;
  /** The traits that not all results share. Shared traits are above the table. */
  traits: readonly string[];
}

function ResultName({ entry: { cell, label }, traits }: ResultNameProps) {
  return (
    <div className={classes.name}>
      <MarkedName name={label} colour={cell.framework.colour} />
      <div className={classes.quiet}>
        <Link to="/r/$run" params={{ run: cell.run_slug }}>
          {formatDateTime(cell.at)}
        </Link>
        {traits.map((trait) => ` · ${trait}`)}
      </div>
    </div>
  );
}

interface BarProps {
  entry: Entry;
  metric: string;
  end: number;
  isHatched: boolean;
}

function Bar({ entry: { cell, pair }, metric, end, isHatched }: BarProps) {
  const found = cell.summary[metric];
  return (
    <>
      {found && (
        <IntervalBar
          estimate={found.estimate}
          low={found.low}
          high={found.high}
          end={end}
          colour={cell.framework.colour}
          excluded={isHatched}
          isBound={found.is_bound}
        />
      )}
      {pair && <WhyApart pair={pair} />}
    </>
  );
}

function Estimate({ summary }: { summary: Entry['cell']['summary'][string] | undefined }) {
  return (
    <>
      <Quantity value={summary?.estimate} unit={summary?.unit ?? ''} isBound={summary?.is_bound} />
      {summary && (
        <Box fz="xs" fw={400}>
          <Interval
            estimate={summary.estimate}
            low={summary.low ?? null}
            high={summary.high ?? null}
            values={summary.values}
            unit={summary.unit}
          />
        </Box>
      )}
    </>
  );
}

interface AgainstProps {
  entry: Entry;
  metric: string;
  onBaseline: ((cell: string) => void) | undefined;
}

function Against({ entry: { id, cell, pair, label }, metric, onBaseline }: AgainstProps) {
  return (
    <>
      <RatioText pair={pair} excluded={cell.excluded} metric={metric} />
      {pair && onBaseline && (
        <div>
          <button
            type="button"
            className={classes.link}
            aria-label={`${label}: make baseline`}
            onClick={() => onBaseline(id)}
          >
            make baseline
          </button>
        </div>
      )}
    </>
  );
}

const MOST_NAMED = 3;

function WhyApart({ pair }: { pair: PairOut }) {
  if (pair.comparability !== 'incomparable') return null;
  const named = pair.differences.slice(0, MOST_NAMED).map(describeDifference);
  const more = pair.differences.length - MOST_NAMED;
  return (
    <Box component="p" m="2px 0 0" fz="xs" fw={400} c="dimmed">
      Not comparable: {named.join('; ')}
      {more > 0 && (
        <Tooltip label={pair.differences.slice(MOST_NAMED).map(describeDifference).join('; ')}>
          <span className={classes.more} tabIndex={0}>
            ; and {more} more
          </span>
        </Tooltip>
      )}
      .
    </Box>
  );
}
