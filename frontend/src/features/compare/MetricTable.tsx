import { Button, Group, Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import type { ComparedResult, Metric, MetricOut } from '@/api/schema';
import type { Column } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { Marker } from '@/components/Marker';
import { Interval, Quantity } from '@/components/Quantity';
import ui from '@/components/ui.module.css';
import { joinWords, words } from '@/lib/format';
import type { Entry } from './labels';
import classes from './MetricTable.module.css';
import { RatioText } from './RatioText';

interface MetricTableProps {
  entries: readonly Entry[];
  metrics: readonly MetricOut[];
  /** The metric shown above. */
  metric: Metric;
  onMetric: (metric: Metric) => void;
}

const NARROW = '(max-width: 48em)';

/** Lists every metric of every result: estimate, interval, ratio to the baseline, state. */
export function MetricTable({ entries, metrics, metric, onMetric }: MetricTableProps) {
  const known = metrics.filter((metric) =>
    entries.some(({ cell }) => cell.summary[metric.metric] !== undefined),
  );
  const [whole, setWhole] = useState(false);
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
  const isMain = (item: MetricOut) => item.is_primary || item.metric === metric;
  return (
    <>
      <DataTable
        label="All metrics"
        layout={isNarrow ? 'cards' : 'scroll'}
        hasFixedColumn={!isNarrow}
        rows={isNarrow && !whole ? known.filter(isMain) : known}
        rowKey={(item) => item.metric}
        columns={[
          {
            header: 'Metric',
            isRowHeader: true,
            cell: (item) => (
              <>
                <Tooltip label="Show this metric above">
                  <button
                    type="button"
                    className={classes.metric}
                    aria-pressed={item.metric === metric}
                    onClick={() => onMetric(item.metric)}
                  >
                    {item.title}
                  </button>
                </Tooltip>
                <div className={ui.quiet}>{item.direction} is better</div>
              </>
            ),
          },
          ...entries.map((entry): Column<MetricOut> => ({
            id: entry.id,
            header: (
              <>
                <ResultHead entry={entry} />
                <WhyNot entry={entry} />
              </>
            ),
            tone: () => (entry.cell.excluded ? 'muted' : undefined),
            cardLabel: <ResultHead entry={entry} />,
            cell: (item) => <Figure entry={entry} metric={item.metric} />,
          })),
        ]}
      />
      {isNarrow && (
        <Button mt={12} size="xs" variant="default" onClick={() => setWhole(!whole)}>
          {whole ? 'Show main metrics' : `Show all ${known.length} metrics`}
        </Button>
      )}
    </>
  );
}

function ResultHead({ entry: { label, cell, pair } }: { entry: Entry }) {
  return (
    <>
      <Group component="span" display="inline-flex" gap="xs" align="baseline" wrap="nowrap" mr="xs">
        <Marker colour={cell.framework.colour} />
        <span>{label}</span>
      </Group>
      {pair === null && <span className={ui.quiet}>baseline</span>}
    </>
  );
}

/** Shows once why a result is not comparable. */
function WhyNot({ entry: { cell, pair } }: { entry: Entry }) {
  if (cell.excluded) {
    return <div className={classes.reason}>excluded{explainExclusion(cell)}</div>;
  }
  if (pair?.comparability !== 'incomparable') return null;
  return <div className={classes.reason}>not comparable</div>;
}

/** `: too many errors`, the verdicts that exclude the result. */
function explainExclusion({ verdicts }: ComparedResult): string {
  const reasons = verdicts
    .filter((verdict) => verdict.excludes_from_ranking)
    .map(({ verdict }) => words(verdict).toLowerCase());
  return reasons.length === 0 ? '' : `: ${joinWords(reasons)}`;
}

function Figure({ entry: { cell, pair }, metric }: { entry: Entry; metric: string }) {
  const found = cell.summary[metric];
  if (found === undefined) return <span className={ui.quiet}>no data</span>;
  return (
    <>
      <div className="nowrap">
        <Quantity value={found.estimate} unit={found.unit} isBound={found.is_bound} />{' '}
        <span className={ui.quiet}>
          <Interval
            estimate={found.estimate}
            low={found.low ?? null}
            high={found.high ?? null}
            values={found.values}
            unit={found.unit}
          />
        </span>
      </div>
      {pair && <RatioText pair={pair} excluded={cell.excluded} metric={metric} isExplained />}
    </>
  );
}
