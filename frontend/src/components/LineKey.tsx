import { seriesColour } from '@/lib/tokens';
import { Marker } from './Marker';

interface LineKeyProps {
  colour: number;
  /** Shown before the marker, if it distinguishes lines of one colour. */
  dash?: string | undefined;
}

/** Draws how a line looks: its marker, and its dash if it has one. */
export function LineKey({ colour, dash }: LineKeyProps) {
  return (
    <>
      {dash !== undefined && (
        <svg width="24" height="12" style={{ flex: 'none' }} aria-hidden>
          <line
            x1="0"
            x2="24"
            y1="6"
            y2="6"
            stroke={seriesColour(colour)}
            strokeWidth="2"
            strokeDasharray={dash}
          />
        </svg>
      )}
      <Marker colour={colour} />
    </>
  );
}
