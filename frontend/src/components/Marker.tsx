import { type Shape, seriesColour, seriesShape } from '@/lib/tokens';
import classes from './Marker.module.css';

const PATHS: Record<Shape, string> = {
  circle: 'M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9Z',
  triangle: 'M6 1.2 11 10.4H1Z',
  square: 'M2 2h8v8H2Z',
  diamond: 'M6 .8 11.2 6 6 11.2.8 6Z',
  cross: 'M4.2 1.2h3.6v3h3v3.6h-3v3H4.2v-3h-3V4.2h3Z',
  star: 'M6 .6l1.6 3.5 3.8.4-2.8 2.6.8 3.8L6 9l-3.4 1.9.8-3.8L.6 4.5l3.8-.4Z',
};

/** Return the SVG path of a series marker in a 12 × 12 box. */
export function markerPath(colour: number): string {
  return PATHS[seriesShape(colour)];
}

/** Draws a framework's colour and shape. It needs the name next to it. */
export function Marker({ colour, size = 12 }: { colour: number; size?: number }) {
  return (
    <svg className={classes.marker} width={size} height={size} viewBox="0 0 12 12" aria-hidden>
      <path d={markerPath(colour)} fill={seriesColour(colour)} />
    </svg>
  );
}

/** Draws marker and name on one line. */
export function MarkedName({ name, colour }: { name: string; colour: number }) {
  return (
    <span className={classes.marked}>
      <Marker colour={colour} />
      <span>{name}</span>
    </span>
  );
}
