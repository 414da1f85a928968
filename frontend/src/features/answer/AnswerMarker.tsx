import { markerPath } from '@/components/Marker';
import { seriesColour } from '@/lib/tokens';

/** Draws a framework's marker as `components/Marker` does, with the class of the server's markup. */
export function AnswerMarker({ colour }: { colour: number }) {
  return (
    <svg className="answer-marker" width={12} height={12} viewBox="0 0 12 12" aria-hidden>
      <path d={markerPath(colour)} fill={seriesColour(colour)} />
    </svg>
  );
}
