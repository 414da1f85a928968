import { Select, Text } from '@mantine/core';
import type { ComparisonCharts, MetricOut } from '@/api/schema';
import { bandTable } from '@/charts/bands';
import { ChartFigure, type LegendEntry } from '@/charts/ChartFigure';
import { CurveChart, ScatterChart, TailChart, TimeChart } from '@/charts/lazy';
import { NOT_DRAWN } from '@/charts/not-drawn';
import { summarizeSeconds } from '@/charts/summaries';
import { Legend } from '@/components/Legend';
import { isolate, isVisible, toggle } from '@/lib/visible';
import classes from './CompareCharts.module.css';
import {
  bandLines,
  blankCharts,
  type Figure,
  isInSteps,
  metricSummary,
  originOf,
  scatterDots,
  stepCurves,
  stepTable,
  tailLines,
  tailSummary,
  tailTable,
} from './figures';
import { COST, CostFigure } from './CostFigure';
import type { Entry } from './labels';

const OFFERED = { label: 'Offered rate', unit: 'req/s' };
const RATES = [
  ['sustained_rps', 'sustained rate'],
  ['knee_rps', 'knee'],
] as const;

const OVER_TIME: readonly { figure: Figure; title: string; unit: string; caption: string }[] = [
  {
    figure: 'throughput_rps',
    title: 'Throughput over time',
    unit: 'req/s',
    caption: 'Median trial of each result. Band: range of its trials.',
  },
  {
    figure: 'latency_p99_ms',
    title: 'Latency p99 over time',
    unit: 'ms',
    caption: 'p99 of each second. Line: median trial. Band: range of all trials.',
  },
  {
    figure: 'cpu_cores',
    title: 'Service CPU over time',
    unit: 'cores',
    caption: 'CPU cores used by the service. At the same rate, lower is cheaper.',
  },
  {
    figure: 'memory_bytes',
    title: 'Service memory over time',
    unit: 'B',
    caption: 'All kinds combined. A steady rise suggests a leak.',
  },
];

interface CompareChartsProps {
  entries: readonly Entry[];
  /** Null while they are being loaded. */
  charts: ComparisonCharts | null;
  metrics: readonly MetricOut[];
  /** Axes of the scatter. */
  x: string;
  y: string;
  onAxes: (axes: { x?: string; y?: string }) => void;
  /** Results shown, as in the URL; empty for all. */
  only: string;
  onOnly: (only: string) => void;
}

/** Draws all charts of a comparison. */
export function CompareCharts({
  entries: all,
  charts: loaded,
  metrics,
  x,
  y,
  onAxes,
  only,
  onOnly,
}: CompareChartsProps) {
  const visible = all.filter(({ id }) => isVisible(only, id));
  // The URL may name results that are no longer selected.
  const entries = visible.length > 0 ? visible : all;
  const charts = loaded ?? blankCharts(entries);
  const isLoading = loaded === null;
  const inSteps = entries.filter(isInSteps);
  const legend = legendOf(entries);
  const origin = originOf(entries);
  return (
    <>
      <Legend
        label="Results in the charts"
        items={all.map(({ id, label, cell, dash }) => ({
          key: id,
          name: label,
          colour: cell.framework.colour,
          excluded: cell.excluded,
          dash,
        }))}
        only={only}
        onIsolate={(id) => onOnly(isolate(only, id))}
        onToggle={(id) => {
          const ids = all.map((entry) => entry.id);
          onOnly(toggle(only, id, ids));
        }}
      />
      <div className={classes.charts}>
        {inSteps.length > 0 && (
          <>
            <ChartFigure
              title="Latency p99 against load"
              caption="All trials combined. The circle marks the knee, above which p99 rises steeply (Kneedle, mean over trials). Hollow points are failed steps."
              filename="tacho-comparison-latency-by-rate"
              origin={origin}
              summary={() => metricSummary(entries, RATES)}
              legend={legend}
              table={() => stepTable(entries, charts)}
            >
              <CurveChart
                curves={stepCurves(inSteps, charts, 'latency_p99_ms')}
                unit="ms"
                x={OFFERED}
                isLoading={isLoading}
              />
            </ChartFigure>
            <ChartFigure
              title="Cost against load"
              caption="CPU time of the service per request at each offered rate."
              filename="tacho-comparison-cost-by-rate"
              origin={origin}
              summary={() => metricSummary(entries, RATES)}
              legend={legend}
              table={() => stepTable(entries, charts)}
            >
              <CurveChart
                curves={stepCurves(inSteps, charts, COST)}
                unit="µs"
                x={OFFERED}
                isLoading={isLoading}
              />
            </ChartFigure>
          </>
        )}
        <ChartFigure
          title="Latency by percentile"
          caption="A curve rising on the right means a few requests were much slower. All trials combined."
          filename="tacho-comparison-latency-by-percentile"
          origin={origin}
          summary={() => tailSummary(entries, charts)}
          legend={legend}
          table={() => tailTable(entries, charts)}
        >
          <TailChart lines={tailLines(entries, charts)} isLoading={isLoading} />
        </ChartFigure>
        <ScatterFigure entries={entries} metrics={metrics} x={x} y={y} onAxes={onAxes} />
        <CostFigure entries={entries} />
        {OVER_TIME.map(({ figure, title, unit, caption }) => {
          const lines = bandLines(entries, charts, figure);
          return (
            <ChartFigure
              key={figure}
              title={title}
              caption={caption}
              filename={`tacho-comparison-${figure}-over-time`}
              origin={origin}
              summary={() => summarizeSeconds(lines, unit)}
              legend={legend}
              table={() => bandTable(lines, 'result', unit)}
            >
              <TimeChart lines={lines} unit={unit} group="comparison" isLoading={isLoading} />
            </ChartFigure>
          );
        })}
      </div>
    </>
  );
}

function legendOf(entries: readonly Entry[]): LegendEntry[] {
  return entries.map(({ label, cell, dash }) => ({
    name: label,
    colour: cell.framework.colour,
    dash,
  }));
}

type ScatterFigureProps = Omit<CompareChartsProps, 'charts' | 'only' | 'onOnly'>;

function ScatterFigure({ entries, metrics, x, y, onAxes }: ScatterFigureProps) {
  const dots = scatterDots(entries, x, y);
  const infoOf = (name: string) => metrics.find((metric) => metric.metric === name);
  const [across, up] = [infoOf(x), infoOf(y)];
  if (!across || !up) return null;
  const choices = metrics
    .filter(({ metric }) => entries.some(({ cell }) => cell.summary[metric] !== undefined))
    .map(({ metric, title }) => ({ value: metric, label: title }));
  const corner = `${up.direction === 'lower' ? 'lower' : 'upper'} ${across.direction === 'lower' ? 'left' : 'right'}`;
  return (
    <ChartFigure
      title={`${up.title} against ${across.title}`}
      caption={`Better results are to the ${corner}. Whiskers show 95 % intervals; hollow points are excluded.`}
      filename={`tacho-comparison-${y}-against-${x}`}
      origin={originOf(entries)}
      legend={legendOf(entries)}
      summary={() =>
        metricSummary(entries, [
          [x, across.title],
          [y, up.title],
        ])
      }
      table={() => ({
        columns: ['result', x, `${x} low`, `${x} high`, y, `${y} low`, `${y} high`],
        rows: dots.map((dot) => [
          dot.name,
          dot.x.estimate,
          dot.x.low,
          dot.x.high,
          dot.y.estimate,
          dot.y.low,
          dot.y.high,
        ]),
      })}
    >
      <div className={classes.axes} {...NOT_DRAWN}>
        <Select
          label="Horizontal axis"
          size="xs"
          data={choices}
          value={x}
          allowDeselect={false}
          onChange={(value) => {
            if (value !== null) onAxes({ x: value });
          }}
        />
        <Select
          label="Vertical axis"
          size="xs"
          data={choices}
          value={y}
          allowDeselect={false}
          onChange={(value) => {
            if (value !== null) onAxes({ y: value });
          }}
        />
      </div>
      {dots.length === 0 ? (
        <Text c="dimmed">No result has both metrics. Choose other axes.</Text>
      ) : (
        <ScatterChart dots={dots} x={across} y={up} />
      )}
    </ChartFigure>
  );
}
