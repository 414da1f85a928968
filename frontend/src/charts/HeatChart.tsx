import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { MarkedName } from '@/components/Marker';
import { formatCount, formatFigure, formatTick } from '@/lib/format';
import { seriesColour } from '@/lib/tokens';
import {
  type Heat,
  type HeatScale,
  heatScale,
  heightOf,
  type HeatSpot,
  logTicks,
  spotAt,
  strengthOf,
} from './heat';
import classes from './HeatChart.module.css';

/** Draws latency over time as one heat map per framework, all on the same scale. */
export function HeatChart({ heats }: { heats: readonly Heat[] }) {
  const filled = heats.filter(({ edgesMs }) => edgesMs.length > 1);
  if (filled.length === 0) return <p className={classes.none}>No successful requests.</p>;
  const scale = heatScale(filled);
  return (
    <div className={classes.maps}>
      {filled.map((heat) => (
        <HeatMap key={heat.id} heat={heat} scale={scale} />
      ))}
    </div>
  );
}

function HeatMap({ heat, scale }: { heat: Heat; scale: HeatScale }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme('light');
  const [spot, setSpot] = useState<HeatSpot | null>(null);
  useEffect(() => {
    if (canvas.current) paint(canvas.current, heat, scale);
  }, [heat, scale, scheme]);
  const seconds = scale.endSecond - scale.firstSecond;
  const across = (second: number) => `${((second - scale.firstSecond) / seconds) * 100}%`;
  return (
    <div className={classes.map}>
      <div className={classes.head}>
        <MarkedName name={heat.name} colour={heat.colour} />
        <span className={classes.spot} data-not-drawn>
          {spot && describe(spot)}
        </span>
      </div>
      <div className={classes.plot}>
        {logTicks(scale).map((tick) => (
          <span
            key={tick}
            className={classes.tickUp}
            style={{ bottom: `${heightOf(tick, scale) * 100}%` }}
          >
            {formatTick(tick)} ms
          </span>
        ))}
        <canvas
          ref={canvas}
          className={classes.canvas}
          style={{ color: seriesColour(heat.colour) }}
          role="img"
          aria-label={`${heat.name}: latency over time. The table has the numbers.`}
          onPointerMove={(event) => {
            const box = event.currentTarget.getBoundingClientRect();
            const x = (event.clientX - box.left) / box.width;
            setSpot(spotAt(heat, scale, x, 1 - (event.clientY - box.top) / box.height));
          }}
          onPointerLeave={() => {
            setSpot(null);
          }}
        />
        {scale.firstSecond < 0 && (
          <span className={classes.begin} style={{ left: across(0) }} aria-hidden />
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

function describe({ second, lowMs, highMs, count }: HeatSpot): string {
  const range = `${formatFigure(lowMs)} to ${formatFigure(highMs)} ms`;
  return `second ${second}, ${range}: ${formatCount(count, 'request')}`;
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
