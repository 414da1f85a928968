import { markerPath } from '@/components/Marker';
import { seriesColour } from '@/lib/tokens';

interface LineMarkerProps {
  cx: number | undefined;
  cy: number | undefined;
  colour: number;
}

/** Draws the framework's marker on its line, so that colour is not the only distinction. */
export function LineMarker({ cx, cy, colour }: LineMarkerProps) {
  if (cx === undefined || cy === undefined) return null;
  return (
    <path
      d={markerPath(colour)}
      transform={`translate(${cx - 5} ${cy - 5}) scale(0.84)`}
      fill={seriesColour(colour)}
      stroke="var(--tacho-background)"
      strokeWidth="1"
    />
  );
}
