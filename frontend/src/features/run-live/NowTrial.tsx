import { Box, Switch } from '@mantine/core';
import { useDocumentVisibility, useInViewport } from '@mantine/hooks';
import { memo, useState } from 'react';
import type { CellOut, SampleEvent } from '@/api/schema';
import { Gauge } from '@/charts/Gauge';
import { LiveChart } from '@/charts/LiveChart';
import { niceCeiling, type Point } from '@/charts/series';
import { FailureNote } from '@/components/FailureNote';
import { Marker } from '@/components/Marker';
import { Notice } from '@/components/Notice';
import { formatFigure, words } from '@/lib/format';
import { seriesColour } from '@/lib/tokens';
import type { LiveTrial } from './live-state';
import classes from './NowTrial.module.css';
import { StageBar } from './StageBar';

interface Needle {
  label: string;
  unit: string;
  read: (sample: SampleEvent) => number | null;
}

const NEEDLES: readonly Needle[] = [
  { label: 'Throughput', unit: 'req/s', read: (sample) => sample.requests - sample.failed },
  { label: 'Latency p99', unit: 'ms', read: (sample) => sample.latency_p99_ms },
  { label: 'Service CPU', unit: 'cores', read: (sample) => sample.cpu_service_seconds },
];

interface NowTrialProps {
  cell: CellOut;
  repetition: number;
  /** Null if it is not known yet. */
  trials: number | null;
  trial: LiveTrial | undefined;
  samples: readonly SampleEvent[];
  /** Name of the bench host. */
  host: string;
}

/** Shows the current trial: its stages, three gauges, and charts of the last 60 seconds. */
export const NowTrial = memo(function NowTrial({
  cell,
  repetition,
  trials,
  trial,
  samples,
  host,
}: NowTrialProps) {
  const { ref, inViewport } = useInViewport();
  const [hasCharts, setHasCharts] = useState(true);
  const isVisible = useDocumentVisibility() === 'visible';
  const colour = seriesColour(cell.framework.colour);
  return (
    <section className={classes.now} aria-label="Current trial">
      <h2 className={classes.title}>
        <Marker colour={cell.framework.colour} size={16} />
        {cell.framework.name}
        <span className={classes.context}>
          {cell.scenario.name} · {words(cell.profile)} · trial {repetition}{' '}
          {trials !== null && `of ${trials}`}
        </span>
      </h2>
      {trial && <StageBar trial={trial} cell={cell} />}
      {trial?.failure && <FailureNote failure={trial.failure} />}
      <Disturbance samples={samples} host={host} />
      {samples.length > 0 && (
        <Switch
          size="xs"
          mt="md"
          label="Charts"
          checked={hasCharts}
          onChange={(event) => setHasCharts(event.currentTarget.checked)}
        />
      )}
      <div ref={ref}>
        {samples.length > 0 && hasCharts && (
          <Needles samples={samples} colour={colour} isInView={inViewport && isVisible} />
        )}
      </div>
      <Errors samples={samples} capSeconds={cell.parameters.warm_up_seconds ?? 0} />
    </section>
  );
});

interface NeedlesProps {
  samples: readonly SampleEvent[];
  colour: string;
  isInView: boolean;
}

/** Draws the gauges, as soon as the load has started; out of view, they are not drawn again. */
const Needles = memo(
  function Needles({ samples, colour }: NeedlesProps) {
    const warmUp = samples.filter((sample) => sample.phase === 'warm_up').length;
    return (
      <div className={classes.needles}>
        {NEEDLES.map(({ label, unit, read }) => {
          const points = toPoints(samples, warmUp, read);
          const peak = Math.max(...points.map((point) => point.y ?? 0), 0);
          return (
            <div key={label} className={classes.needle}>
              <Gauge
                label={label}
                value={points.at(-1)?.y ?? null}
                unit={unit}
                end={niceCeiling(peak)}
                colour={colour}
              />
              <LiveChart label={label} points={points} unit={unit} colour={colour} />
            </div>
          );
        })}
      </div>
    );
  },
  (_, { isInView }) => !isInView,
);

/** Return points by seconds since measuring began; negative during warm-up. */
function toPoints(samples: readonly SampleEvent[], warmUp: number, read: Needle['read']): Point[] {
  return samples.map((sample) => ({
    x: sample.phase === 'warm_up' ? sample.second - warmUp : sample.second,
    y: read(sample),
  }));
}

function Errors({ samples, capSeconds }: { samples: readonly SampleEvent[]; capSeconds: number }) {
  const failed = samples.reduce((sum, sample) => sum + sample.failed, 0);
  const dropped = samples.reduce((sum, sample) => sum + sample.dropped, 0);
  const last = samples.at(-1);
  if (last === undefined) {
    return <p className={classes.note}>Waiting for the load to start.</p>;
  }
  return (
    <p className={classes.note}>
      {last.phase === 'warm_up'
        ? `Warming up: ${last.second + 1} s of at most ${capSeconds} s, shown but not counted. `
        : ''}
      <Count count={failed} what="failed requests" />,{' '}
      <Count count={dropped} what="dropped requests" />, {last.in_flight.toFixed(1)} requests in
      flight.
    </p>
  );
}

/** With a larger mean of the measured window, the result gets the verdict `host_busy`. */
const MOST_TAKEN = 0.1;
const RECENT_SECONDS = 5;

/** Warns while other programs use CPUs of the trial. The browser of the reader may be one of them. */
function Disturbance({ samples, host }: { samples: readonly SampleEvent[]; host: string }) {
  const recent = samples.slice(-RECENT_SECONDS);
  const taken = recent.reduce((sum, sample) => sum + (sample.taken_share ?? 0), 0) / recent.length;
  if (!(taken > MOST_TAKEN)) return null;
  return (
    <Box mt="md">
      <Notice title="Other programs disturb this trial">
        They use {Math.round(100 * taken)} % of its CPUs. If this continues, its result gets a
        warning. Close what {host} does not need now. If this browser runs there, it may be one of
        them: switch the charts off, or come back when the run has ended.
      </Notice>
    </Box>
  );
}

/** A count that should be zero. */
function Count({ count, what }: { count: number; what: string }) {
  return (
    <span className={count > 0 ? classes.wrong : undefined}>
      {formatFigure(count)} {what}
    </span>
  );
}
