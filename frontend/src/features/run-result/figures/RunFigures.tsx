import type { CellOut } from '@/api/schema';
import { ColdStart } from './ColdStart';
import type { FigureSource } from './figure-props';
import type { Group } from '@/features/run-result/selection/groups';
import type { LatencyFloor } from './floor';
import { HeatFigure } from './HeatFigure';
import { MemoryFigure } from './MemoryFigure';
import { areSecondsRemoved, RemovedSeconds } from './RemovedSeconds';
import { StepsFigures } from '@/features/run-result/steps/StepsFigures';
import { TailFigure } from './TailFigure';
import { TIME_FIGURES, TimeCharts } from './TimeCharts';

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

/** Draws all charts of a group's trials. Charts further down request their data later. */
export function RunFigures({ source, group, cells, withWarmUp, floor, figure }: RunFiguresProps) {
  const wanted = (key: string) => figure === undefined || figure === key;
  const inSteps = group.kind === 'steps';
  const hasSeconds = !areSecondsRemoved(source.run);
  return (
    <>
      <RemovedSeconds run={source.run} />
      {hasSeconds && inSteps && <StepsFigures source={source} cells={cells} figure={figure} />}
      {!inSteps && wanted('latency-by-percentile') && (
        <TailFigure source={source} cells={cells} floor={floor} />
      )}
      {hasSeconds && wanted('latency-heat-map') && (
        <HeatFigure source={source} cells={cells} withWarmUp={withWarmUp} />
      )}
      {hasSeconds && TIME_FIGURES.some(({ key }) => wanted(key)) && (
        <TimeCharts
          source={source}
          cells={cells}
          withWarmUp={withWarmUp}
          floor={floor}
          figure={figure}
        />
      )}
      {wanted('memory-by-kind') && <MemoryFigure source={source} cells={cells} />}
      {wanted('cold-start') && <ColdStart source={source} cells={cells} />}
    </>
  );
}
