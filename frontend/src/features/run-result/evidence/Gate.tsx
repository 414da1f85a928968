import { IconCheck, IconX } from '@tabler/icons-react';
import type { MetricOut, RunOut } from '@/api/schema';
import { Section } from '@/components/Page';
import ui from '@/components/ui.module.css';
import { formatValue, words } from '@/lib/format';
import classes from './Gate.module.css';

type GateCheck = NonNullable<RunOut['gate']>['checks'][number];

interface GateProps {
  run: RunOut;
  metrics: readonly MetricOut[];
}

/** Shows which limits a run meets. Draws nothing when no limit applies. */
export function Gate({ run, metrics }: GateProps) {
  if (!run.gate) return null;
  const { checks, passed } = run.gate;
  const failed = checks.filter((check) => !check.passed).length;
  const hint = passed
    ? 'All limits are met.'
    : `${String(failed)} of ${String(checks.length)} limits ${failed === 1 ? 'is' : 'are'} not met.`;
  return (
    <Section title="Limits" hint={hint}>
      <ul className={ui.rows}>
        {checks.map((check) => (
          <CheckRow
            key={`${check.slo_id} ${check.cell_id}`}
            check={check}
            run={run}
            title={
              metrics.find((metric) => metric.metric === check.metric)?.title ?? words(check.metric)
            }
          />
        ))}
      </ul>
    </Section>
  );
}

function CheckRow({ check, run, title }: { check: GateCheck; run: RunOut; title: string }) {
  const cell = run.cells.find((cell) => cell.id === check.cell_id);
  const Icon = check.passed ? IconCheck : IconX;
  const side = check.direction === 'higher' ? 'at least' : 'at most';
  return (
    <li className={classes.row}>
      <span className={classes.word} data-passed={check.passed}>
        <Icon size={14} stroke={2} aria-hidden />
        {check.passed ? 'passed' : 'failed'}
      </span>
      <span>
        {cell?.framework.name} on {cell?.scenario.name}: {title}{' '}
        <strong>{formatValue(check.estimate, check.unit)}</strong>, {side}{' '}
        {formatValue(check.limit, check.unit)}
      </span>
      <span className={classes.quiet}>{check.detail}</span>
    </li>
  );
}
