/** Charts whose code is fetched when the first one is shown, in frames that take their space before. */
import { type ComponentProps, lazy } from 'react';
import { HEIGHT, SCATTER_HEIGHT, valueAxis } from './axes';
import { CutNote } from './CutNote';
import { curveLevels, whiskersOf } from './curves';
import { framed } from './Frame';
import { HeatOutline } from './HeatOutline';
import { HISTORY_HEIGHT, historyCuts } from './history-points';
import type { Reading } from './Readout';
import { extentOf } from './scales';

const Time = lazy(async () => ({ default: (await import('./TimeChart')).TimeChart }));
const Tail = lazy(async () => ({ default: (await import('./TailChart')).TailChart }));
const History = lazy(async () => ({ default: (await import('./HistoryChart')).HistoryChart }));
const Curve = lazy(async () => ({ default: (await import('./CurveChart')).CurveChart }));
const Scatter = lazy(async () => ({ default: (await import('./ScatterChart')).ScatterChart }));
const Heat = lazy(async () => ({ default: (await import('./HeatChart')).HeatChart }));

type Named = Pick<Reading, 'id' | 'name' | 'colour'>;

function toReadings(lines: readonly Named[]): Reading[] {
  return lines.map(({ id, name, colour }) => ({ id, name, colour, value: '' }));
}

export const TimeChart = framed<ComponentProps<typeof Time>>(Time, ({ lines }) => ({
  height: HEIGHT,
  readings: toReadings(lines),
}));

export const TailChart = framed<ComponentProps<typeof Tail>>(Tail, ({ lines }) => ({
  height: HEIGHT,
  readings: toReadings(lines),
}));

export const CurveChart = framed<ComponentProps<typeof Curve>>(
  Curve,
  ({ curves, unit, rules = [], height = HEIGHT, scales }) => ({
    height,
    readings: toReadings(curves),
    note: (
      <CutNote
        levels={whiskersOf(curves)}
        domain={valueAxis(scales?.extent ?? extentOf(curveLevels(curves, rules)), unit).domain}
      />
    ),
  }),
);

export const ScatterChart = framed<ComponentProps<typeof Scatter>>(Scatter, ({ dots, x, y }) => {
  const [across, up] = [dots.map((dot) => dot.x), dots.map((dot) => dot.y)];
  return {
    height: SCATTER_HEIGHT,
    readings: toReadings(dots),
    note: (
      <>
        <CutNote levels={across} domain={valueAxis(extentOf(across), x.unit).domain} />
        <CutNote levels={up} domain={valueAxis(extentOf(up), y.unit).domain} />
      </>
    ),
  };
});

export const HistoryChart = framed<ComponentProps<typeof History>>(
  History,
  ({ lines, unit, from, to, height = HISTORY_HEIGHT }) => ({
    height,
    readings: toReadings(lines),
    isRoomy: true,
    note: <CutNote {...historyCuts(lines, { from, to }, unit)} />,
  }),
);

export const HeatChart = framed<ComponentProps<typeof Heat>>(Heat, ({ heats }) => ({
  height: 0,
  readings: toReadings(heats),
  outline: (isLoading) => <HeatOutline heats={heats} isLoading={isLoading} />,
}));
