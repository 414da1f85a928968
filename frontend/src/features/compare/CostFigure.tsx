import { Box } from '@mantine/core';
import { scaleEnd } from '@/charts/bar-scale';
import { ChartFigure } from '@/charts/ChartFigure';
import { CutNote } from '@/charts/CutNote';
import { IntervalBar } from '@/charts/IntervalBar';
import { Marker } from '@/components/Marker';
import ui from '@/components/ui.module.css';
import { formatInterval, formatValue } from '@/lib/format';
import classes from './CompareCharts.module.css';
import { metricSummary, originOf } from './figures';
import type { Entry } from './labels';

export const COST = 'cpu_us_per_request';

/** Draws CPU time per request, usually the least noisy metric. */
export function CostFigure({ entries }: { entries: readonly Entry[] }) {
  const found = entries.flatMap((entry) => {
    const cost = entry.cell.summary[COST];
    return cost ? [{ entry, cost }] : [];
  });
  if (found.length === 0) return null;
  const sorted = [...found].sort((a, b) => a.cost.estimate - b.cost.estimate);
  const end = scaleEnd(found.map(({ cost }) => cost));
  return (
    <ChartFigure
      title="Cost: CPU per request"
      caption="CPU time of the service per request, with 95 % intervals. Lowest first."
      filename="tacho-comparison-cost"
      origin={originOf(entries)}
      summary={() =>
        metricSummary(
          sorted.map(({ entry }) => entry),
          [[COST, 'CPU per request']],
        )
      }
      table={() => ({
        columns: ['result', 'estimate_us', 'low_us', 'high_us', 'n'],
        rows: sorted.map(({ entry, cost }) => [
          entry.label,
          cost.estimate,
          cost.low,
          cost.high,
          cost.n,
        ]),
      })}
    >
      <ul className={classes.bars}>
        {sorted.map(({ entry, cost }) => (
          <li key={entry.id}>
            <Box component="span" miw={0}>
              <Marker colour={entry.cell.framework.colour} /> {entry.label}
            </Box>
            <span className="nowrap">
              {cost.is_bound === true && 'at least '}
              {formatValue(cost.estimate, cost.unit)}{' '}
              <span className={ui.quiet}>
                {formatInterval(cost.estimate, cost.low, cost.high, cost.unit)}
              </span>
            </span>
            <div className={classes.bar}>
              <IntervalBar
                estimate={cost.estimate}
                low={cost.low}
                high={cost.high}
                end={end}
                colour={entry.cell.framework.colour}
                excluded={entry.cell.excluded || entry.pair?.comparability === 'incomparable'}
                isBound={cost.is_bound}
              />
            </div>
          </li>
        ))}
      </ul>
      <CutNote levels={found.map(({ cost }) => cost)} domain={[0, end]} />
    </ChartFigure>
  );
}
