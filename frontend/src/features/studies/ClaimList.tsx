import type { StudyCheck, StudyClaim } from '@/api/studies';
import type { MetricInfo } from '@/api/metrics';
import { formatCount, formatFigure, formatValue } from '@/lib/format';
import { showParameters } from './parameters';
import classes from './ClaimList.module.css';
import { FindingBadge } from './FindingBadge';

interface ClaimListProps {
  claims: readonly StudyClaim[];
  metrics: readonly MetricInfo[];
  /** Names of the experiments by slug. */
  experiments: ReadonlyMap<string, string>;
}

/** Lists the claims of a study with our findings and comparisons. */
export function ClaimList({ claims, metrics, experiments }: ClaimListProps) {
  return (
    <ul className={classes.list}>
      {claims.map((claim) => (
        <li key={claim.words} className={classes.item}>
          <FindingBadge finding={claim.finding} />
          <div>
            <p className={classes.words}>{claim.words}</p>
            {claim.unchecked !== null && claim.unchecked !== undefined ? (
              <p className={classes.quiet}>
                {claim.source_location} · {claim.unchecked}
              </p>
            ) : (
              <details className={classes.checks}>
                <summary>
                  {claim.source_location} · {formatCount(claim.checks.length, 'comparison')}
                </summary>
                <ul>
                  {claim.checks.map((check, index) => (
                    <li key={index}>
                      <Check check={check} metrics={metrics} experiments={experiments} />
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

interface CheckProps {
  check: StudyCheck;
  metrics: readonly MetricInfo[];
  experiments: ReadonlyMap<string, string>;
}

function Check({ check, metrics, experiments }: CheckProps) {
  const metric = metrics.find((metric) => metric.metric === check.metric);
  const isRatio = check.against !== null && check.against !== undefined;
  const unit = metric?.unit ?? '';
  const show = (value: number) => (isRatio ? formatFigure(value) : formatValue(value, unit));
  const parameters = showParameters(check.parameters);
  return (
    <>
      <FindingBadge finding={check.finding} />{' '}
      <span>
        {metric?.title ?? check.metric}, {experiments.get(check.experiment) ?? check.experiment}
        {parameters !== '' && `, ${parameters}`}: {check.of}
        {isRatio && ` ÷ ${check.against ?? ''}`}; claimed {check.expected}
        {check.value !== null && check.value !== undefined && (
          <>
            , measured <strong>{show(check.value)}</strong>
            {isRatio && '×'}
            {check.low !== null &&
              check.low !== undefined &&
              ` [${show(check.low)}, ${show(check.high ?? check.low)}]`}
            , {formatCount(check.n, 'trial')}
          </>
        )}
        .{check.reason !== null && check.reason !== undefined && ` ${check.reason}`}
      </span>
    </>
  );
}
