import { Box, Stack } from '@mantine/core';
import type { CellOut } from '@/api/schema';
import { scaleEnd } from '@/charts/bar-scale';
import { ChartFigure } from '@/charts/ChartFigure';
import { CutNote } from '@/charts/CutNote';
import { IntervalBar } from '@/charts/IntervalBar';
import { summarizeMetrics } from '@/charts/summaries';
import { MarkedName } from '@/components/Marker';
import ui from '@/components/ui.module.css';
import { formatInterval, formatValue } from '@/lib/format';
import classes from './ColdStart.module.css';
import { figureProps, type FigureSource, namedSummaries } from './figure-props';

/** The metrics of a start, and the metric of the steady state that is drawn next to it on the same scale. */
const PARTS = [
  ['boot_ms', 'Boot'],
  ['first_response_ms', 'First response'],
  ['cold_throughput_rps', 'Throughput, first 10 s', 'throughput_rps'],
  ['throughput_rps', 'Throughput, measured', 'cold_throughput_rps'],
  ['cold_latency_p50_ms', 'Latency p50, first 10 s', 'latency_p50_ms'],
  ['latency_p50_ms', 'Latency p50, measured', 'cold_latency_p50_ms'],
  ['cold_cpu_us_per_request', 'CPU per request, first 10 s', 'cpu_us_per_request'],
  ['cpu_us_per_request', 'CPU per request, measured', 'cold_cpu_us_per_request'],
] as const;
/** Trials of older versions have only these. */
const ALWAYS = new Set<string>(['boot_ms', 'first_response_ms']);

/** Draws how long a service takes to start, and how it serves the first ten seconds of the load next to its steady state. */
export function ColdStart({ source, cells }: { source: FigureSource; cells: readonly CellOut[] }) {
  const parts = PARTS.filter(([metric, , other]) => {
    const has = (key: string | undefined) => key && cells.some(({ summary }) => summary[key]);
    return ALWAYS.has(metric) || (has(metric) && has(other));
  });
  return (
    <ChartFigure
      {...figureProps(source, 'cold-start', cells)}
      legend={[]}
      title="Cold start"
      caption="Boot: from process start to the first passed health check. First response: the first request of the scenario. The first ten seconds of the load are drawn next to the measured window, on the same scale. They matter if services start often."
      summary={() =>
        summarizeMetrics(
          namedSummaries(cells),
          parts.map(([metric, title]) => [metric, title] as const),
        )
      }
      table={() => ({
        columns: ['framework', 'metric', 'unit', 'estimate', 'low', 'high', 'n'],
        rows: parts.flatMap(([metric]) =>
          cells.map(({ framework, summary }) => {
            const value = summary[metric];
            const { unit, estimate, low, high, n } = value ?? {};
            return [framework.name, metric, unit, estimate, low, high, n];
          }),
        ),
      })}
    >
      <Stack gap="sm">
        {parts.map(([metric, title, other]) => (
          <Part key={metric} title={title} metric={metric} other={other} cells={cells} />
        ))}
      </Stack>
    </ChartFigure>
  );
}

interface PartProps {
  title: string;
  metric: string;
  /** Another metric with the same scale. */
  other: string | undefined;
  cells: readonly CellOut[];
}

function Part({ title, metric, other, cells }: PartProps) {
  const bars = cells.flatMap((cell) => {
    const summary = cell.summary[metric];
    return summary === undefined ? [] : [{ cell, summary }];
  });
  const others = other ? cells.flatMap(({ summary }) => summary[other] ?? []) : [];
  const end = scaleEnd([...bars.map(({ summary }) => summary), ...others]);
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
            <Box component="span" ta="right" className="nowrap">
              {formatValue(summary.estimate, summary.unit)}{' '}
              <span className={ui.small}>
                {formatInterval(summary.estimate, summary.low, summary.high, summary.unit)}
              </span>
            </Box>
          </li>
        ))}
      </ul>
      <CutNote levels={bars.map(({ summary }) => summary)} domain={[0, end]} />
      {bars.length === 0 && <p className={ui.small}>No trial reached this point.</p>}
    </div>
  );
}
