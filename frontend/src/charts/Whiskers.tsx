import { useXAxisScale, useYAxisScale } from 'recharts';
import { seriesColour } from '@/lib/tokens';
import classes from './Whiskers.module.css';
import { cutWhisker } from './scales';

/** A point with an interval in one direction. */
export interface Whisker {
  id: string;
  x: number;
  y: number;
  low: number | null | undefined;
  high: number | null | undefined;
  colour: number;
}

interface WhiskersProps {
  whiskers: readonly Whisker[];
  /** Ends of the axis that the intervals are measured on. */
  domain: readonly [number, number];
  direction?: 'x' | 'y';
}

/** Half of the length of an end mark, in pixels. */
const HALF = 3;
/** How far two whiskers at one x are apart, so that both can be seen. */
const APART = 4;

/** Draws intervals within a Recharts chart. An arrow replaces the end mark where an interval continues beyond the axis. */
export function Whiskers({ whiskers, domain, direction = 'y' }: WhiskersProps) {
  const across = useXAxisScale();
  const up = useYAxisScale();
  if (across === undefined || up === undefined) return null;
  const taken = new Map<number, Span[]>();
  return (
    <g pointerEvents="none" fill="none" strokeWidth={1}>
      {whiskers.map((whisker) => {
        const cut = cutWhisker(whisker, domain);
        if (cut === null) return null;
        const { id, x, y, colour } = whisker;
        const along = direction === 'y' ? up : across;
        const at = (direction === 'y' ? across(x) : up(y)) ?? 0;
        const [from, to] = [along(cut.low) ?? 0, along(cut.high) ?? 0];
        const shift = direction === 'y' ? findSide(taken, at, from, to) : 0;
        return (
          <path
            key={id}
            className={classes.whisker}
            data-cut={cut.isLowCut || cut.isHighCut || undefined}
            stroke={seriesColour(colour)}
            transform={direction === 'y' ? `translate(${at + shift} 0)` : `translate(0 ${at})`}
            d={[
              line(from, to, direction),
              endMark(from, Math.sign(from - to), cut.isLowCut, direction),
              endMark(to, Math.sign(to - from), cut.isHighCut, direction),
            ].join('')}
          />
        );
      })}
    </g>
  );
}

interface Span {
  top: number;
  bottom: number;
  side: number;
}

/** Return how far a whisker is moved aside, so that it does not cover another at the same x. */
function findSide(taken: Map<number, Span[]>, at: number, from: number, to: number): number {
  const [top, bottom] = [Math.min(from, to), Math.max(from, to)];
  const spans = taken.get(at) ?? [];
  taken.set(at, spans);
  const isFree = (side: number) =>
    !spans.some((span) => span.side === side && span.top <= bottom && top <= span.bottom);
  let step = 0;
  while (!isFree(sideStep(step))) step += 1;
  spans.push({ top, bottom, side: sideStep(step) });
  return sideStep(step);
}

/** Return 0, 4, −4, 8, −8 … */
function sideStep(step: number): number {
  return Math.ceil(step / 2) * APART * (step % 2 === 1 ? 1 : -1) || 0;
}

type Direction = 'x' | 'y';

/** Return a point along and across a whisker as coordinates. */
function spot(along: number, aside: number, direction: Direction): string {
  return direction === 'y' ? `${aside} ${along}` : `${along} ${aside}`;
}

function line(from: number, to: number, direction: Direction): string {
  return `M${spot(from, 0, direction)}L${spot(to, 0, direction)}`;
}

/** Return a bar across the end, or an arrow that points outwards. */
function endMark(end: number, outwards: number, isCut: boolean, direction: Direction): string {
  const back = isCut ? end - outwards * 5 : end;
  const [one, other] = [spot(back, -HALF, direction), spot(back, HALF, direction)];
  return isCut ? `M${one}L${spot(end, 0, direction)}L${other}` : `M${one}L${other}`;
}
