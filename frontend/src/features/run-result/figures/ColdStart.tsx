import type { RunCell } from '@/api/runs';
import { scaleEnd } from '@/charts/bar-scale';
import { ChartFigure } from '@/charts/ChartFigure';
import { CutNote } from '@/charts/CutNote';
import { IntervalBar } from '@/charts/IntervalBar';
import { summarizeMetrics } from '@/charts/summaries';
import { MarkedName } from '@/components/Marker';
import { formatInterval, formatValue } from '@/lib/format';
import classes from './ColdStart.module.css';
import { figureProps, type FigureSource, namedSummaries } from './figure-props';

const PARTS = [
  ['boot_ms', 'Boot'],
  ['first_response_ms', 'First response'],
] as const;

/** Draws the time from process start to the first passed health check, and the time of the first scenario request. */
export function ColdStart({ source, cells }: { source: FigureSource; cells: readonly RunCell[] }) {
  return (
    <ChartFigure
      {...figureProps(source, 'cold-start', cells)}
      legend={[]}
      title="Cold start"
      caption="Boot: from process start to the first passed health check. First response: the first request of the scenario. A long bar matters if services start often."
      summary={() => summarizeMetrics(namedSummaries(cells), PARTS)}
      table={() => ({
        columns: ['framework', 'metric', 'estimate_ms', 'low_ms', 'high_ms', 'n'],
        rows: PARTS.flatMap(([metric]) =>
          cells.map(({ framework, summary }) => {
            const value = summary[metric];
            return [framework.name, metric, value?.estimate, value?.low, value?.high, value?.n];
          }),
        ),
      })}
    >
      <div className={classes.parts}>
        {PARTS.map(([metric, title]) => (
          <Part key={metric} title={title} metric={metric} cells={cells} />
        ))}
      </div>
    </ChartFigure>
  );
}

interface PartProps {
  title: string;
  metric: string;
  cells: readonly RunCell[];
}

function Part({ title, metric, cells }: PartProps) {
  const bars = cells.flatMap((cell) => {
    const summary = cell.summary[metric];
    return summary === undefined ? [] : [{ cell, summary }];
  });
  const end = scaleEnd(bars.map(({ summary }) => summary));
  return (
    <div>
      <h4 className={classes.title}>{title}</h4>
      <ul className={classes.bars}>
        {bars.map(({ cell, summary }) => (
          <li key={cell.id}>
            <MarkedName {...cell.framework} />
            <IntervalBar
              estimate={summary.estimate}
              low={summary.low}
              high={summary.high}
              end={end}
              colour={cell.framework.colour}
              excluded={false}
            />
            <span className={classes.value}>
              {formatValue(summary.estimate, summary.unit)}{' '}
              <span className={classes.interval}>
                {formatInterval(summary.estimate, summary.low, summary.high, summary.unit)}
              </span>
            </span>
          </li>
        ))}
      </ul>
      <CutNote levels={bars.map(({ summary }) => summary)} domain={[0, end]} />
      {bars.length === 0 && <p className={classes.interval}>No trial reached this point.</p>}
    </div>
  );
}
