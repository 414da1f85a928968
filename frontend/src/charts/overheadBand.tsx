import { ReferenceArea } from 'recharts';

/**
 * Return a band up to the load generator's own p99; latencies within it depend little on the service. Null if the axis begins above it.
 */
export function overheadBand(overhead: number, [first, last]: readonly [number, number]) {
  if (overhead <= first) return null;
  return (
    <ReferenceArea
      y1={first}
      y2={Math.min(overhead, last)}
      fill="var(--tacho-ink-muted)"
      fillOpacity={0.14}
      ifOverflow="hidden"
      label={{
        value: 'load generator overhead',
        position: 'insideBottomRight',
        fill: 'var(--tacho-ink-muted)',
        fontSize: 11,
      }}
    />
  );
}
