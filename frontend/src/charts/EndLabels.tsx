import { usePlotArea, useXAxisScale, useYAxisScale } from 'recharts';
import { seriesColour } from '@/lib/tokens';
import { cutName, type EndLabel, LABEL_GAP, LABEL_INDENT, spreadLabels } from './end-labels';
import { LineMarker } from './LineMarker';

/** Below this distance, in pixels, a name needs no connecting line. */
const NEAR = 4;

interface EndLabelsProps {
  ends: readonly EndLabel[];
  /** Whether names are drawn; see `useLabelling`. */
  isDirect: boolean;
  /** False when the line's own dots already carry the marker. */
  isMarked?: boolean;
}

/** Draws the framework's marker at the end of each line, and its name next to the plot. */
export function EndLabels({ ends, isDirect, isMarked = true }: EndLabelsProps) {
  const plot = usePlotArea();
  const across = useXAxisScale();
  const up = useYAxisScale();
  if (plot === undefined || across === undefined || up === undefined) return null;
  const spots = ends.map((end) => ({ ...end, cx: across(end.x) ?? 0, cy: up(end.y) ?? 0 }));
  const right = plot.x + plot.width;
  const heights = spreadLabels(
    spots.map(({ cy }) => cy),
    LABEL_GAP,
    plot.y,
    plot.y + plot.height,
  );
  return (
    <g pointerEvents="none">
      {spots.map(({ id, name, colour, excluded, cx, cy }, index) => {
        const y = heights[index] ?? cy;
        const isAway = Math.abs(y - cy) > NEAR || right - cx > NEAR;
        return (
          <g key={id}>
            {isDirect && isAway && (
              <path
                d={`M${cx + 6} ${cy}L${right + LABEL_INDENT - 6} ${y}`}
                stroke={seriesColour(colour)}
                strokeOpacity={0.5}
                strokeWidth={1}
                fill="none"
              />
            )}
            {isMarked && <LineMarker cx={cx} cy={cy} colour={colour} />}
            {isDirect && (
              <text
                x={right + LABEL_INDENT - 4}
                y={y}
                dy="0.35em"
                fontSize={12}
                fill={excluded ? 'var(--tacho-ink-muted)' : 'var(--tacho-ink)'}
              >
                {cutName(name)}
              </text>
            )}
          </g>
        );
      })}
    </g>
  );
}
