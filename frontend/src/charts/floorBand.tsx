import { ReferenceArea } from 'recharts';

/**
 * From zero to the load generator's own p99: below it a latency says nothing about a service. An
 * element, not a component: Recharts looks at its children's types.
 */
export function floorBand(floor: number) {
  return (
    <ReferenceArea
      y1={0}
      y2={floor}
      fill="var(--tacho-ink-muted)"
      fillOpacity={0.14}
      ifOverflow="hidden"
      label={{
        value: 'generator’s floor',
        position: 'insideBottomRight',
        fill: 'var(--tacho-ink-muted)',
        fontSize: 11,
      }}
    />
  );
}
