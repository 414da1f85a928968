import { LineKey } from '@/components/LineKey';
import classes from './Readout.module.css';

/** The value of one line at the position of the pointer. */
export interface Reading {
  id: string;
  name: string;
  colour: number;
  /** Distinguishes lines of one framework. */
  dash?: string | undefined;
  excluded?: boolean | undefined;
  /** Empty while the pointer is elsewhere, and where a line has no value. */
  value: string;
  /** Its interval or range. */
  detail?: string | undefined;
}

export interface ReadoutProps {
  /** The position of the pointer; null while it is elsewhere. */
  heading: string | null;
  readings: readonly Reading[];
  /** Whether values have long details. */
  isRoomy?: boolean;
}

/** With more lines, the strip would be taller than the chart. */
const MOST_READINGS = 12;
const HINT = 'Point at the chart to read values.';

/**
 * Lists all lines of a chart with their values at the position of the pointer. It takes the same space with and without values, so that nothing moves.
 */
export function Readout({ heading, readings, isRoomy = false }: ReadoutProps) {
  const rest = readings.length - MOST_READINGS;
  return (
    <div className={classes.readout}>
      <div className={classes.heading}>{heading ?? HINT}</div>
      <ul className={classes.readings} data-roomy={isRoomy}>
        {readings
          .slice(0, MOST_READINGS)
          .map(({ id, name, colour, dash, excluded = false, value, detail }) => (
            <li key={id} className={classes.reading} data-excluded={excluded}>
              <LineKey colour={colour} dash={dash} />
              <span className={classes.name} title={name}>
                {name}
                {excluded && ', excluded'}
              </span>
              <span className={classes.value}>
                {value} {detail !== undefined && <span className={classes.detail}>{detail}</span>}
              </span>
            </li>
          ))}
      </ul>
      {rest > 0 && <div className={classes.more}>{rest} more are in the table.</div>}
    </div>
  );
}
