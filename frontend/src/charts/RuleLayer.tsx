import { use } from 'react';
import { ReferenceLine } from 'recharts';
import { seriesColour } from '@/lib/tokens';
import { type HistoryRule, HistoryRules } from './rules';

/** With more rules, labels would hide the points. */
const MOST_LABELS = 10;

/** Draws the rules between two times within a Recharts chart. */
export function RuleLayer({ from, to }: { from: number; to: number }) {
  const marks = use(HistoryRules).filter((rule) => rule.at >= from && rule.at <= to);
  return marks.map((rule, place) => (
    <ReferenceLine
      key={`${rule.kind} ${rule.label} ${String(rule.at)} ${String(rule.colour)}`}
      x={rule.at}
      stroke={rule.kind === 'change' ? seriesColour(rule.colour) : 'var(--tacho-ink-muted)'}
      strokeWidth={rule.kind === 'change' ? 1.5 : 1}
      {...(rule.kind === 'event' && { strokeDasharray: '2 4' })}
      {...(marks.length <= MOST_LABELS && { label: ruleLabel(rule, place) })}
    />
  ));
}

/** Labels changes above the plot and events below, because both may happen at the same time. */
function ruleLabel(rule: HistoryRule, place: number) {
  const isChange = rule.kind === 'change';
  return {
    value: rule.label,
    position: isChange ? 'top' : 'insideBottomLeft',
    fill: isChange ? 'var(--tacho-ink)' : 'var(--tacho-ink-muted)',
    fontSize: 12,
    fontWeight: isChange ? 600 : 400,
    // Neighbours are placed on different lines.
    dy: (isChange ? -14 : -16) * (place % 2),
  } as const;
}
