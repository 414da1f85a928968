import { ReferenceArea } from 'recharts';

/** A value, in the unit of the chart, up to which values depend little on the service. */
export interface ChartFloor {
  value: number;
  label: string;
}

/** Return a band up to the floor. Null if the axis begins above it. */
export function floorBand({ value, label }: ChartFloor, [first, last]: readonly [number, number]) {
  if (value <= first) return null;
  return (
    <ReferenceArea
      y1={first}
      y2={Math.min(value, last)}
      fill="var(--tacho-ink-muted)"
      fillOpacity={0.14}
      ifOverflow="hidden"
      label={{
        value: label,
        position: 'insideBottomRight',
        fill: 'var(--tacho-ink-muted)',
        fontSize: 11,
      }}
    />
  );
}
