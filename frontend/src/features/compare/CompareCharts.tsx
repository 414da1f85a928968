import { Select } from '@mantine/core';
import type { Charts } from '@/api/comparisons';
import type { MetricInfo } from '@/api/metrics';
import { ChartFigure } from '@/charts/ChartFigure';
import { IntervalBar } from '@/charts/IntervalBar';
import { CurveChart, OverlayChart, ScatterChart, TailChart } from '@/charts/lazy';
import { Marker } from '@/components/Marker';
import { formatInterval, formatValue } from '@/lib/format';
import classes from './CompareCharts.module.css';
import {
  bandLines,
  bandTable,
  type Figure,
  scatterDots,
  stepCurves,
  stepTable,
  tailLines,
  tailTable,
} from './figures';
import type { Entry } from './labels';

const OFFERED = { label: 'rate offered', unit: 'req/s' };
const COST = 'cpu_us_per_request';

const OVER_TIME: readonly { figure: Figure; title: string; unit: string; caption: string }[] = [
  {
    figure: 'throughput_rps',
    title: 'Throughput over time',
    unit: 'req/s',
    caption: 'The median trial of each result, within the range of all its trials.',
  },
  {
    figure: 'latency_p99_ms',
    title: 'Latency p99 over time',
    unit: 'ms',
    caption: 'The slowest hundredth of each second: median trial, within the range of all.',
  },
  {
    figure: 'cpu_cores',
    title: 'Service CPU over time',
    unit: 'cores',
    caption: 'Cores kept busy. At the same rate, lower is cheaper.',
  },
  {
    figure: 'memory_bytes',
    title: 'Service memory over time',
    unit: 'B',
    caption: 'All kinds together. A steady climb would be a leak.',
  },
];

interface CompareChartsProps {
  entries: readonly Entry[];
  charts: Charts;
  metrics: readonly MetricInfo[];
  /** Axes of the scatter. */
  x: string;
  y: string;
  onAxes: (axes: { x?: string; y?: string }) => void;
}

/** Everything a comparison draws, each figure with its table. */
export function CompareCharts({ entries, charts, metrics, x, y, onAxes }: CompareChartsProps) {
  const stepped = stepCurves(entries, charts, 'latency_p99_ms');
  return (
    <div className={classes.charts}>
      {stepped.length > 0 && (
        <>
          <ChartFigure
            title="Latency p99 against load"
            caption="Trials merged; the ring is the knee, above which p99 rises steeply (Kneedle, mean over trials); hollow where a step failed."
            filename="tacho-comparison-latency-by-rate"
            table={() => stepTable(entries, charts)}
          >
            <CurveChart curves={stepped} unit="ms" x={OFFERED} />
          </ChartFigure>
          <ChartFigure
            title="Cost against load"
            caption="CPU time of the service a request, at each rate offered."
            filename="tacho-comparison-cost-by-rate"
            table={() => stepTable(entries, charts)}
          >
            <CurveChart curves={stepCurves(entries, charts, COST)} unit="µs" x={OFFERED} />
          </ChartFigure>
        </>
      )}
      <ChartFigure
        title="Latency by percentile"
        caption="Read the tail to the right: where a curve bends up, some requests waited. Trials merged."
        filename="tacho-comparison-latency-by-percentile"
        table={() => tailTable(entries, charts)}
      >
        <TailChart lines={tailLines(entries, charts)} />
      </ChartFigure>
      <ScatterFigure entries={entries} metrics={metrics} x={x} y={y} onAxes={onAxes} />
      <Cost entries={entries} />
      {OVER_TIME.map(({ figure, title, unit, caption }) => {
        const lines = bandLines(entries, charts, figure);
        return (
          <ChartFigure
            key={figure}
            title={title}
            caption={caption}
            filename={`tacho-comparison-${figure}-over-time`}
            table={() => bandTable(lines, unit)}
          >
            <OverlayChart lines={lines} unit={unit} group="comparison" />
          </ChartFigure>
        );
      })}
    </div>
  );
}

type ScatterFigureProps = Omit<CompareChartsProps, 'charts'>;

function ScatterFigure({ entries, metrics, x, y, onAxes }: ScatterFigureProps) {
  const dots = scatterDots(entries, x, y);
  const infoOf = (name: string) => metrics.find((one) => one.metric === name);
  const [across, up] = [infoOf(x), infoOf(y)];
  if (!across || !up) return null;
  const choices = metrics
    .filter(({ metric }) => entries.some(({ cell }) => cell.summary[metric] !== undefined))
    .map(({ metric, title }) => ({ value: metric, label: title }));
  const corner = `${up.direction === 'lower' ? 'lower' : 'upper'} ${across.direction === 'lower' ? 'left' : 'right'}`;
  return (
    <ChartFigure
      title={`${up.title} against ${across.title}`}
      caption={`Better lies to the ${corner}. Whiskers are 95 % intervals; hollow is barred.`}
      filename={`tacho-comparison-${y}-against-${x}`}
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
      <div className={classes.axes}>
        <Select
          label="Across"
          size="xs"
          data={choices}
          value={x}
          allowDeselect={false}
          onChange={(value) => {
            if (value !== null) onAxes({ x: value });
          }}
        />
        <Select
          label="Up"
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
        <p className={classes.quiet}>No result has both numbers; choose other axes.</p>
      ) : (
        <ScatterChart dots={dots} x={across} y={up} />
      )}
    </ChartFigure>
  );
}

/** CPU a request, the least noisy figure a benchmark has. */
function Cost({ entries }: { entries: readonly Entry[] }) {
  const found = entries.flatMap((entry) => {
    const cost = entry.cell.summary[COST];
    return cost ? [{ entry, cost }] : [];
  });
  if (found.length === 0) return null;
  const sorted = [...found].sort((a, b) => a.cost.estimate - b.cost.estimate);
  const most = Math.max(...found.map(({ cost }) => cost.estimate));
  const end = Math.min(
    Math.max(...found.map(({ cost }) => cost.high ?? cost.estimate)),
    most * 1.6,
  );
  return (
    <ChartFigure
      title="Cost: CPU per request"
      caption="CPU time of the service for each request sent, with 95 % intervals; cheapest first."
      filename="tacho-comparison-cost"
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
            <span className={classes.label}>
              <Marker colour={entry.cell.framework.colour} /> {entry.label}
            </span>
            <span className={classes.value}>
              {formatValue(cost.estimate, cost.unit)}{' '}
              <span className={classes.quiet}>
                {formatInterval(cost.estimate, cost.low, cost.high, cost.unit)}
              </span>
            </span>
            <div className={classes.bar}>
              <IntervalBar
                estimate={cost.estimate}
                low={cost.low}
                high={cost.high}
                end={Math.max(end, most)}
                colour={entry.cell.framework.colour}
                barred={entry.cell.barred || entry.pair?.standing === 'incomparable'}
              />
            </div>
          </li>
        ))}
      </ul>
    </ChartFigure>
  );
}
