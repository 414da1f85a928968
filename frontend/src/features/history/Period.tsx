import { RangeSlider } from '@mantine/core';
import { memo, useState } from 'react';
import type { HistoryLine } from '@/charts/HistoryChart';
import ui from '@/components/ui.module.css';
import { formatDateTime } from '@/lib/format';
import { seriesColour } from '@/lib/tokens';
import classes from './Controls.module.css';
import type { Span } from './lines';

const HEIGHT = 36;
const WIDTH = 1000;
/** Keyboard steps over the whole range. */
const STEPS = 100;

interface PeriodProps {
  lines: readonly HistoryLine[];
  whole: Span;
  span: Span;
  /** Undefined at the ends, so that new points are included. */
  onChoose: (from: string | undefined, to: string | undefined) => void;
}

/** Selects the period of the chart on a small overview of all points. */
export function Period({ lines, whole, span, onChoose }: PeriodProps) {
  const [dragged, setDragged] = useState<[number, number] | null>(null);
  const [from, to] = dragged ?? [span.from, span.to];
  if (whole.from === whole.to) return null;
  return (
    <section className={classes.control} aria-labelledby="period">
      <div className={classes.head}>
        <span id="period">Period</span>
        <output className={ui.small}>
          {formatDateTime(new Date(from).toISOString())} –{' '}
          {formatDateTime(new Date(to).toISOString())}
        </output>
      </div>
      <Strip lines={lines} whole={whole} />
      <RangeSlider
        thumbFromLabel="Start of the period"
        thumbToLabel="End of the period"
        min={whole.from}
        max={whole.to}
        step={(whole.to - whole.from) / STEPS}
        minRange={(whole.to - whole.from) / STEPS}
        value={[from, to]}
        label={null}
        onChange={setDragged}
        onChangeEnd={([begin, end]) => {
          setDragged(null);
          onChoose(
            begin <= whole.from ? undefined : new Date(begin).toISOString(),
            end >= whole.to ? undefined : new Date(end).toISOString(),
          );
        }}
      />
    </section>
  );
}

interface StripProps {
  lines: readonly HistoryLine[];
  whole: Span;
}

const Strip = memo(function Strip({ lines, whole }: StripProps) {
  const values = lines.flatMap((line) => line.dots.map((dot) => dot.estimate));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const x = (at: number) => ((at - whole.from) / (whole.to - whole.from)) * WIDTH;
  const y = (value: number) => HEIGHT - 3 - ((value - least) / (most - least || 1)) * (HEIGHT - 6);
  return (
    <svg
      className={classes.strip}
      viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      {lines.map((line) => (
        <polyline
          key={line.id}
          points={line.dots
            .map((dot) => `${x(dot.at).toFixed(1)},${y(dot.estimate).toFixed(1)}`)
            .join(' ')}
          fill="none"
          stroke={seriesColour(line.colour)}
          strokeDasharray={line.dash}
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </svg>
  );
});
