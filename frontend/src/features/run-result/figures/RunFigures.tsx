import { useMemo } from 'react';
import { api } from '@/api/client';
import type { CellOut } from '@/api/schema';
import { ErrorState } from '@/components/States';
import ui from '@/components/ui.module.css';
import type { Group } from '@/features/run-result/selection/groups';
import { StepsFigures } from '@/features/run-result/steps/StepsFigures';
import { ColdStart } from './ColdStart';
import type { FigureSource } from './figure-props';
import type { LatencyFloor } from './floor';
import { HeatFigure } from './HeatFigure';
import { MemoryFigure } from './MemoryFigure';
import { TailFigure } from './TailFigure';
import { type DrawnCell, TIME_FIGURES } from './time-lines';
import { TimeChartFigure } from './TimeChartFigure';

export interface RunFiguresProps {
  source: FigureSource;
  group: Group;
  /** The results to draw. */
  cells: readonly CellOut[];
  withWarmUp: boolean;
  floor: LatencyFloor | null;
  /** Key of the only figure to draw; without it, all are drawn. */
  figure?: string;
}

/** Draws all charts of a group. Their data of the whole run come with one response. */
export function RunFigures({ source, group, cells, withWarmUp, floor, figure }: RunFiguresProps) {
  const { data, error } = api.useQuery('get', '/api/v1/runs/{run_id}/charts', {
    params: { path: { run_id: source.run.slug } },
  });
  const drawn = useMemo((): DrawnCell[] => {
    const charts = new Map(data?.cells.map((own) => [own.cell_id, own]));
    const measured = cells.filter((cell) => cell.trials_succeeded > 0);
    return measured.map((cell) => ({ cell, charts: charts.get(cell.id) }));
  }, [data, cells]);
  const wanted = (key: string) => figure === undefined || figure === key;
  const inSteps = group.kind === 'steps';
  const props = { source, cells: drawn, isLoading: data === undefined };
  // An older version stored neither heat maps nor the steps of trials before it removed seconds.
  const isLeft = (has: (charts: NonNullable<DrawnCell['charts']>) => boolean) =>
    data === undefined || drawn.some(({ charts }) => charts && has(charts));
  return (
    <>
      {figure === undefined && <RemovedSeconds note={source.run.removal?.seconds_note ?? ''} />}
      {error ? (
        <ErrorState error={error} />
      ) : (
        <>
          {inSteps && isLeft((charts) => charts.trial_steps.length > 0) && (
            <StepsFigures {...props} figure={figure} />
          )}
          {!inSteps && wanted('latency-by-percentile') && <TailFigure {...props} floor={floor} />}
          {wanted('latency-heat-map') && isLeft((charts) => charts.heat_map !== null) && (
            <HeatFigure {...props} withWarmUp={withWarmUp} />
          )}
          {TIME_FIGURES.filter(({ key }) => wanted(key)).map((entry) => (
            <TimeChartFigure
              key={entry.key}
              figure={entry}
              {...props}
              withWarmUp={withWarmUp}
              floor={floor}
            />
          ))}
        </>
      )}
      {wanted('memory-by-kind') && <MemoryFigure source={source} cells={cells} />}
      {wanted('cold-start') && <ColdStart source={source} cells={cells} />}
    </>
  );
}

/** Shows since when the run has no seconds. Its charts stay. */
function RemovedSeconds({ note }: { note: string }) {
  if (note === '') return null;
  return (
    <p className={ui.quiet} style={{ gridColumn: '1 / -1', margin: 0 }}>
      {note}
    </p>
  );
}
