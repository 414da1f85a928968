import { ReferenceArea } from 'recharts';

/**
 * Return a band from zero to the load generator's own p99; latencies within it depend little on the service. It is an element, not a component, because Recharts checks the types of its children.
 */
export function overheadBand(overhead: number) {
  return (
    <ReferenceArea
      y1={0}
      y2={overhead}
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
