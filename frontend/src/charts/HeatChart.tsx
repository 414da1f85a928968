import { useComputedColorScheme, VisuallyHidden } from '@mantine/core';
import { type PointerEvent, use, useEffect, useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { MarkedName } from '@/components/Marker';
import { formatCount, formatFigure, formatTick } from '@/lib/format';
import { seriesColour } from '@/lib/tokens';
import { formatTickAlone } from './axes';
import { Strip } from './Frame';
import {
  type Heat,
  type HeatPointer,
  type HeatScale,
  heatScale,
  heightOf,
  moveBy,
  spotAt,
  strengthOf,
} from './heat';
import classes from './HeatChart.module.css';
import { keySteps } from './heat-key';
import { NOT_DRAWN } from './not-drawn';
import { Readout } from './Readout';
import { logTicks } from './scales';

/**
 * Draws latency over time as one heat map per framework. All share both axes, the key and the pointer,
 * which follows mouse, finger and arrow keys.
 */
export function HeatChart({ heats }: { heats: readonly Heat[] }) {
  const [pointer, setPointer] = useState<HeatPointer | null>(null);
  /** Whether the arrow keys moved the pointer, so that its position is announced. */
  const [isByKey, setByKey] = useState(false);
  const strip = use(Strip);
  const filled = useMemo(() => heats.filter(({ edgesMs }) => edgesMs.length > 1), [heats]);
  const scale = useMemo(() => heatScale(filled), [filled]);
  if (filled.length === 0) return <p className={classes.none}>No successful requests.</p>;
  const readout = readHeats(filled, scale, pointer);
  return (
    <>
      <div className={classes.maps}>
        {filled.map((heat) => (
          <HeatMap
            key={heat.id}
            heat={heat}
            scale={scale}
            pointer={pointer}
            onPoint={(next, isKey = false) => {
              setPointer(next);
              setByKey(isKey);
            }}
          />
        ))}
      </div>
      <HeatKey most={scale.most} />
      <VisuallyHidden role="status">{isByKey && announce(readout)}</VisuallyHidden>
      {strip && createPortal(<Readout {...readout} />, strip)}
    </>
  );
}

interface HeatMapProps {
  heat: Heat;
  scale: HeatScale;
  pointer: HeatPointer | null;
  onPoint: (pointer: HeatPointer | null, isKey?: boolean) => void;
}

function HeatMap({ heat, scale, pointer, onPoint }: HeatMapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    if (canvas.current) paint(canvas.current, heat, scale);
  }, [heat, scale, scheme]);
  const point = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    onPoint({
      across: (event.clientX - box.left) / box.width,
      up: 1 - (event.clientY - box.top) / box.height,
    });
  };
  const seconds = scale.endSecond - scale.firstSecond;
  const across = (second: number) => `${((second - scale.firstSecond) / seconds) * 100}%`;
  return (
    <div className={classes.map}>
      <div className={classes.head}>
        <MarkedName name={heat.name} colour={heat.colour} />
        {heat.excluded && <span className={classes.none}>excluded</span>}
      </div>
      <div className={classes.plot}>
        {logTicks(scale.lowMs, scale.highMs).map((tick) => (
          <span
            key={tick}
            className={classes.tickUp}
            style={{ bottom: `${heightOf(tick, scale) * 100}%` }}
          >
            {formatTickAlone(tick, 'ms')}
          </span>
        ))}
        <canvas
          ref={canvas}
          className={classes.canvas}
          style={{ color: seriesColour(heat.colour) }}
          role="application"
          tabIndex={0}
          aria-label={`${heat.name}: latency over time. Arrow keys read its fields. The table has the numbers.`}
          onPointerDown={point}
          onPointerMove={point}
          onPointerLeave={({ pointerType }) => {
            // A finger leaves as soon as it is lifted.
            if (pointerType === 'mouse') onPoint(null);
          }}
          onKeyDown={(event) => {
            const next = moveBy(event.key, heat, scale, pointer);
            if (next === null) return;
            event.preventDefault();
            onPoint(next, true);
          }}
          onBlur={() => onPoint(null)}
        />
        {scale.firstSecond < 0 && (
          <span className={classes.begin} style={{ left: across(0) }} aria-hidden />
        )}
        {pointer !== null && (
          <span
            className={classes.pointer}
            style={{ left: `${pointer.across * 100}%`, bottom: `${pointer.up * 100}%` }}
            aria-hidden
            {...NOT_DRAWN}
          />
        )}
      </div>
      <div className={classes.seconds}>
        {[scale.firstSecond, 0, scale.endSecond].map(
          (second, index, all) =>
            all.indexOf(second) === index && (
              <span key={second} style={{ left: across(second) }}>
                {formatTick(second)}
                {second === scale.endSecond && ' s'}
              </span>
            ),
        )}
      </div>
    </div>
  );
}

const SWATCH = 18;

/** Shows how strongly each count is drawn, in either theme. */
function HeatKey({ most }: { most: number }) {
  const steps = keySteps(most);
  return (
    <div className={classes.key}>
      <span>1</span>
      <svg width={steps.length * SWATCH} height="10" aria-hidden>
        {steps.map(({ count, strength }, place) => (
          <rect
            key={count}
            x={place * SWATCH}
            width={SWATCH}
            height="10"
            fill="var(--tacho-ink)"
            fillOpacity={strength}
          />
        ))}
      </svg>
      <span>{formatCount(most, 'request')} per field</span>
    </div>
  );
}

/** Return the counts of all maps at the pointer. */
function readHeats(heats: readonly Heat[], scale: HeatScale, pointer: HeatPointer | null) {
  const spots = heats.map((heat) => pointer && spotAt(heat, scale, pointer));
  const spot = spots.find((found) => found !== null);
  const heading =
    pointer === null
      ? null
      : spot
        ? `Second ${spot.second}, ${formatFigure(spot.lowMs)} to ${formatFigure(spot.highMs)} ms`
        : 'No requests here.';
  const readings = heats.map(({ id, name, colour, excluded }, index) => {
    const found = spots[index];
    return { id, name, colour, excluded, value: found ? formatCount(found.count, 'request') : '' };
  });
  return { heading, readings };
}

/** Return a readout as a sentence. */
function announce({ heading, readings }: ReturnType<typeof readHeats>): string {
  const values = readings.flatMap(({ name, value }) => (value === '' ? [] : [`${name} ${value}`]));
  return [heading ?? '', ...values].join(', ');
}

function paint(canvas: HTMLCanvasElement, heat: Heat, scale: HeatScale): void {
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  const density = window.devicePixelRatio;
  const [width, height] = [canvas.clientWidth * density, canvas.clientHeight * density];
  canvas.width = width;
  canvas.height = height;
  pen.fillStyle = getComputedStyle(canvas).color;
  const perSecond = width / (scale.endSecond - scale.firstSecond);
  heat.columns.forEach((column, index) => {
    const second = heat.firstSecond + index * heat.secondsPerColumn - scale.firstSecond;
    const left = Math.floor(second * perSecond);
    const right = Math.ceil((second + heat.secondsPerColumn) * perSecond);
    column.forEach((count, row) => {
      if (count === 0) return;
      const top = Math.floor((1 - heightOf(heat.edgesMs[row + 1] ?? 0, scale)) * height);
      const bottom = Math.ceil((1 - heightOf(heat.edgesMs[row] ?? 0, scale)) * height);
      pen.globalAlpha = strengthOf(count, scale.most);
      pen.clearRect(left, top, right - left, bottom - top);
      pen.fillRect(left, top, right - left, bottom - top);
    });
  });
}
