import { Link } from '@tanstack/react-router';
import type { CheckCalls, GuardedLoad, GuardOut, MetricOut, ServiceVersion } from '@/api/schema';
import { Section } from '@/components/Page';
import ui from '@/components/ui.module.css';
import { formatAmount } from '@/lib/format';
import { findAxisEnd, orderLoads } from './changes';
import { GuardEvidence } from './GuardEvidence';
import classes from './GuardView.module.css';
import { LoadTable } from './LoadTable';
import { ResponseDifferences } from './ResponseDifferences';
import { ScriptTable } from './ScriptTable';

interface GuardViewProps {
  guard: GuardOut;
  metrics: readonly MetricOut[];
}

/** Shows a guard: the two versions, the next step, each load, and the evidence. */
export function GuardView({ guard, metrics }: GuardViewProps) {
  const { report } = guard;
  const next = findNextStep(guard);
  const end = findAxisEnd(report.loads);
  const hasChanges = report.loads.some(({ changes }) => changes.length > 0);
  return (
    <>
      <dl className={classes.versions}>
        <Version name="Base" version={report.base} />
        <Version name="Head" version={report.head} />
      </dl>
      {next !== null && (
        <p className={classes.next}>
          <strong>Next step:</strong> {showCode(next)}
        </p>
      )}
      {orderLoads(report.loads).map((load) => (
        <Section key={load.load} title={`Load: ${load.load}`} hint={describeAnswers(load)}>
          <Load load={load} metrics={metrics} end={end} />
        </Section>
      ))}
      {hasChanges && (
        <p className={classes.caption}>
          Points are estimates, lines are intervals. Shaded: a change for the worse beyond the
          limit.{' '}
          <Link to="/docs/$" params={{ _splat: 'methodology/guard' }}>
            How a guard decides
          </Link>
        </p>
      )}
      <GuardEvidence report={report} metrics={metrics} />
    </>
  );
}

/** Return the last line, if it is about what to do. */
function findNextStep({ verdict, lines, report }: GuardOut): string | null {
  const isOpen = report.loads.some(({ changes }) =>
    changes.some(({ state }) => state === 'unknown'),
  );
  const hasStep = verdict === 'responses_differ' || (verdict === 'unknown' && isOpen);
  return hasStep ? (lines.at(-1) ?? null) : null;
}

const CODE = /(--[\w-]+ \d+|\[guard\] .*\])/;

/** Shows options of commands and lines of tacho.toml as code. */
function showCode(text: string) {
  return text
    .split(CODE)
    .map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part));
}

const SHOWN_CHARACTERS = 10;

/** Shows a version: commit, title, and its name when it was requested. */
function Version({ name, version }: { name: string; version: ServiceVersion }) {
  const { commit, title } = version;
  const isNamed = !commit?.startsWith(version.name);
  return (
    <div className={classes.version}>
      <dt>{name}</dt>
      <dd>
        {commit && <code title={commit}>{commit.slice(0, SHOWN_CHARACTERS)}</code>}
        {title && <span>{title}</span>}
        {isNamed && <span data-quiet={Boolean(commit) || undefined}>{version.name}</span>}
      </dd>
    </div>
  );
}

function describeAnswers({ responses, script }: GuardedLoad): string {
  if (responses) {
    const { compared, equal } = responses;
    return `Responses equal: ${formatAmount(equal)} of ${formatAmount(compared)}.`;
  }
  if (!script) return 'Responses were not compared, because a script sends this load.';
  if (script.checks.length === 0) {
    return 'The script has no checks, so wrong responses would not be seen.';
  }
  const [base, head] = [
    countPassed(script.checks.map((check) => check.base)),
    countPassed(script.checks.map((check) => check.head)),
  ];
  return `Checks passed: ${base} by the base, ${head} by the head.`;
}

/** `4,998 of 5,000`. */
function countPassed(calls: readonly CheckCalls[]): string {
  const passes = calls.reduce((sum, check) => sum + check.passes, 0);
  const fails = calls.reduce((sum, check) => sum + check.fails, 0);
  return `${formatAmount(passes)} of ${formatAmount(passes + fails)}`;
}

interface LoadProps {
  load: GuardedLoad;
  metrics: readonly MetricOut[];
  end: number;
}

function Load({ load, metrics, end }: LoadProps) {
  const { responses, script, changes } = load;
  if (responses && responses.equal < responses.compared) {
    return <ResponseDifferences load={load.load} responses={responses} />;
  }
  // The head broke a check, so nothing of this load is timed.
  if (script && changes.length === 0) return <ScriptTable load={load.load} script={script} />;
  if (changes.length === 0) return <p className={ui.quiet}>This load was not measured.</p>;
  return <LoadTable load={load} metrics={metrics} end={end} />;
}
