import { use } from 'react';
import { ReferenceLine, usePlotArea, useXAxisScale } from 'recharts';
import { seriesColour } from '@/lib/tokens';
import { widthOf } from './end-labels';
import { placeLabels } from './rule-labels';
import { type HistoryRule, HistoryRules } from './rules';

/** Space for the labels above the plot, in pixels. */
export const LANES_HEIGHT = 40;

/** Baselines above the plot: level shifts, then changes of the environment. */
const LANES = [
  { kind: 'change', above: 22, weight: 600, fill: 'var(--tacho-ink)' },
  { kind: 'event', above: 6, weight: 400, fill: 'var(--tacho-ink-muted)' },
] as const;

interface RuleLayerProps {
  /** The period that is shown. */
  from: number;
  to: number;
  /** Return the x of a time. */
  placeOf: (at: number) => number;
}

/** Draws the rules between two times within a Recharts chart, with their labels above the plot. */
export function RuleLayer({ from, to, placeOf }: RuleLayerProps) {
  const rules = use(HistoryRules)
    .filter((rule) => rule.at >= from && rule.at <= to)
    .sort((a, b) => a.at - b.at);
  return (
    <>
      {rules.map((rule, index) => (
        <ReferenceLine
          key={`${rule.kind} ${rule.label} ${rule.at} ${rule.colour} ${index}`}
          x={placeOf(rule.at)}
          stroke={rule.kind === 'change' ? seriesColour(rule.colour) : 'var(--tacho-ink-muted)'}
          strokeWidth={rule.kind === 'change' ? 1.5 : 1}
          {...(rule.kind === 'event' && { strokeDasharray: '2 4' })}
        />
      ))}
      <RuleLabels rules={rules} placeOf={placeOf} />
    </>
  );
}

interface RuleLabelsProps {
  rules: readonly HistoryRule[];
  placeOf: (at: number) => number;
}

function RuleLabels({ rules, placeOf }: RuleLabelsProps) {
  const plot = usePlotArea();
  const across = useXAxisScale();
  if (plot === undefined || across === undefined) return null;
  return LANES.map(({ kind, above, weight, fill }) => {
    const own = rules.filter((rule) => rule.kind === kind);
    const wanted = own.map(({ at, label }) => ({
      at: across(placeOf(at)) ?? 0,
      width: widthOf(label),
    }));
    const places = placeLabels(wanted, plot.x, plot.x + plot.width);
    return own.map(({ label, at }, index) => {
      const x = places[index];
      return typeof x === 'number' ? (
        <text
          key={`${kind} ${label} ${at} ${index}`}
          x={x}
          y={plot.y - above}
          textAnchor="middle"
          fontSize={12}
          fontWeight={weight}
          fill={fill}
        >
          {label}
        </text>
      ) : null;
    });
  });
}
