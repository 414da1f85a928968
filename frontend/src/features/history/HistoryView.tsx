import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { calibrationFor, noiseOf } from '@/api/calibration';
import type { History, HistorySeries } from '@/api/history';
import { type Host, hostQueries } from '@/api/hosts';
import { ChartFigure } from '@/charts/ChartFigure';
import type { HistoryLine } from '@/charts/HistoryChart';
import { HistoryChart } from '@/charts/lazy';
import { Marker } from '@/components/Marker';
import { Section } from '@/components/Page';
import { Interval, Quantity } from '@/components/Quantity';
import { EmptyState } from '@/components/States';
import { formatDateTime } from '@/lib/format';
import { describeLoad, kindOf } from '@/lib/load';
import { noiseBand } from './noise-band';
import classes from './HistoryView.module.css';

interface HistoryViewProps {
  history: History;
  metricTitle: string;
  onOpenRun: (runId: string) => void;
}

/** Every point of one framework × scenario × metric, a line a series, each leading to its run. */
export function HistoryView({ history, metricTitle, onOpenRun }: HistoryViewProps) {
  const { framework, scenario, unit, series } = history;
  const hosts = useHosts(series);
  const lines = series.map((one, index) => toLine(history, one, index, hosts.get(one.host)));
  const isBanded = lines.some((line) => line.band !== null);
  if (series.every((one) => one.points.length === 0)) {
    return (
      <EmptyState title="No finished run has this number yet">
        Run {framework.name} on {scenario.name}; each finished run adds a point.
      </EmptyState>
    );
  }
  const better = history.direction === 'higher' ? 'Higher is better' : 'Lower is better';
  return (
    <>
      <ul className={classes.legend}>
        {lines.map((line, index) => (
          <li key={line.id}>
            <Marker colour={index} /> {line.name}
          </li>
        ))}
      </ul>
      <ChartFigure
        title={`${metricTitle} of ${framework.name} on ${scenario.name}`}
        caption={`${better}. Whiskers are 95 % intervals; hollow points are barred. ${
          isBanded ? 'Within the band, differences may be the host’s own noise. ' : ''
        }Press a point to open its run.`}
        filename={`tacho-history-${framework.slug}-${scenario.slug}-${history.metric}`}
        table={() => ({
          columns: ['series', 'at', 'run', 'estimate', 'low', 'high', 'n', 'unit'],
          rows: series.flatMap((one, index) =>
            one.points.map((point) => [
              lines[index]?.name,
              point.at,
              point.run_slug,
              point.estimate,
              point.low,
              point.high,
              point.n,
              unit,
            ]),
          ),
        })}
      >
        <HistoryChart lines={lines} unit={unit} onSelect={onOpenRun} />
      </ChartFigure>
      <Section title="Runs">
        <PointTable history={history} lines={lines} />
      </Section>
    </>
  );
}

/** The hosts of these series by name, as far as they have come. */
function useHosts(series: readonly HistorySeries[]): Map<string, Host> {
  const names = [...new Set(series.map((one) => one.host))];
  const answers = useQueries({ queries: names.map((name) => hostQueries.quietly(name)) });
  const known = answers.flatMap((answer) => (answer.data ? [answer.data] : []));
  return new Map(known.map((host) => [host.name, host]));
}

function toLine(
  history: History,
  series: HistorySeries,
  index: number,
  host: Host | undefined,
): HistoryLine {
  const { parameters } = series;
  const calibration = calibrationFor(host, series.points.at(-1)?.host_digest);
  const load = { scenario: history.scenario.slug, profile: series.profile };
  const shown = describeLoad({ kind: kindOf(parameters), parameters });
  return {
    id: String(index),
    name: `${shown} on ${series.host}, ${series.runtime} runtime`,
    band: noiseBand(series.points, noiseOf(calibration, history.metric, load)),
    dots: series.points.map((point) => ({
      runId: point.run_slug,
      at: Date.parse(point.at),
      estimate: point.estimate,
      low: point.low,
      high: point.high,
      barred: point.barred,
      n: point.n,
    })),
  };
}

function PointTable({ history, lines }: { history: History; lines: readonly HistoryLine[] }) {
  const points = lines
    .flatMap((line, index) => line.dots.map((dot) => ({ ...dot, index })))
    .sort((a, b) => b.at - a.at);
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">Run</th>
          <th scope="col" className={classes.number}>
            Estimate
          </th>
          <th scope="col" className={classes.number}>
            95 % interval
          </th>
          <th scope="col" className={classes.number}>
            n
          </th>
        </tr>
      </thead>
      <tbody>
        {points.map((point) => (
          <tr key={`${point.index} ${point.runId}`}>
            <td>
              <span className={classes.run}>
                <Marker colour={point.index} />
                <Link to="/runs/$run" params={{ run: point.runId }}>
                  {formatDateTime(new Date(point.at).toISOString())}
                </Link>
              </span>
            </td>
            <td className={classes.number}>
              <Quantity value={point.estimate} unit={history.unit} />
              {point.barred && ' barred'}
            </td>
            <td className={classes.number}>
              <Interval {...point} unit={history.unit} />
            </td>
            <td className={classes.number}>{point.n}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
