import { markerPath } from '@/components/Marker';
import { seriesColour } from '@/lib/tokens';
import type { HistoryDot } from './history-points';

interface HistoryMarkProps {
  /** Null where the line has no value. */
  cx: number | null | undefined;
  cy: number | null | undefined;
  dot: HistoryDot | undefined;
  colour: number;
  /** Drawn as a small circle, because there are many. */
  isSmall: boolean;
  onSelect: (runId: string) => void;
}

/** Draws one run of a history, hollow if it is excluded. A click opens the run. */
export function HistoryMark({ cx, cy, dot, colour, isSmall, onSelect }: HistoryMarkProps) {
  if (typeof cx !== 'number' || typeof cy !== 'number' || dot === undefined) return null;
  const look = {
    fill: dot.excluded ? 'var(--tacho-background)' : seriesColour(colour),
    stroke: seriesColour(colour),
    style: { cursor: 'pointer' },
    onClick: () => onSelect(dot.runId),
  };
  if (isSmall) return <circle cx={cx} cy={cy} r={2} {...look} strokeWidth={dot.excluded ? 1 : 0} />;
  return (
    <g transform={`translate(${cx - 6} ${cy - 6})`} {...look}>
      <rect x={-6} y={-6} width={24} height={24} fill="transparent" stroke="none" />
      <path d={markerPath(colour)} />
    </g>
  );
}
