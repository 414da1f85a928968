import { Link } from '@tanstack/react-router';
import type { Change, Ratio } from '@/api/changes';
import { Sparkline } from '@/charts/Sparkline';
import { Ago } from '@/components/Ago';
import { Marker } from '@/components/Marker';
import { formatCount } from '@/lib/format';
import { describeLoad } from '@/lib/load';
import { formatRatio, formatRatioInterval } from '@/lib/ratio';
import { ChangeBadge } from './ChangeBadge';
import classes from './ChangeList.module.css';
import { Decide } from './Decide';

interface ChangeRowProps {
  change: Change;
  metricTitle: string;
  isBrief: boolean;
}

/** Shows one change: the series, the ratio, the reason for its status, and links. */
export function ChangeRow({ change, metricTitle, isBrief }: ChangeRowProps) {
  const { framework, scenario, metric, confirmation } = change;
  const tone = change.is_worse ? 'bad' : 'good';
  const shown = confirmation?.found ?? change.history;
  const settled = change.status === 'dismissed' || change.status === 'host_drift';
  return (
    <li className={classes.row} data-settled={settled}>
      <div className={classes.what}>
        <div className={classes.title}>
          <Marker colour={framework.colour} />
          <Link
            to="/history"
            search={{ framework: framework.slug, scenario: scenario.slug, metric }}
          >
            {metricTitle}, {framework.name} on {scenario.name}
          </Link>
        </div>
        <div className={classes.quiet}>
          {describeLoad(change)} on {change.host}, {change.runtime} runtime
        </div>
        {!isBrief && <p className={classes.reason}>{change.reason}</p>}
        {!isBrief && change.note !== null && <p className={classes.note}>“{change.note}”</p>}
        <div className={classes.links}>
          <Link to="/runs/$run" params={{ run: change.before.run_slug }}>
            Run before
          </Link>
          <Link to="/runs/$run" params={{ run: change.after.run_slug }}>
            Run after
          </Link>
          {typeof confirmation?.run_slug === 'string' && (
            <Link to="/runs/$run" params={{ run: confirmation.run_slug }}>
              Confirmation run
            </Link>
          )}
        </div>
      </div>
      <Sparkline
        points={change.points.map(({ estimate, is_after }) => ({ estimate, isAfter: is_after }))}
        tone={settled ? 'quiet' : tone}
        label={`${metricTitle} around the change: ${formatRatio(change.history.ratio)}`}
      />
      <div className={classes.figures}>
        <div className={classes.ratio} data-tone={settled ? 'quiet' : tone}>
          {formatRatio(shown.ratio)} <span>{change.is_worse ? 'worse' : 'better'}</span>
        </div>
        <Evidence
          label={change.history.is_adjusted ? 'history, adjusted for the host' : 'history'}
          found={change.history}
        />
        {confirmation?.found && (
          <Evidence
            label={`confirmation, ${formatCount(confirmation.pairs ?? 0, 'pair')}`}
            found={confirmation.found}
          />
        )}
      </div>
      <div className={classes.state}>
        <ChangeBadge status={change.status} />
        <span className={classes.quiet}>
          <Link to="/changes/$id" params={{ id: change.id }}>
            <Ago at={change.at} />
          </Link>
          {change.is_by_hand && ', set by hand'}
        </span>
        {!isBrief && <Decide change={change} />}
      </div>
    </li>
  );
}

function Evidence({ label, found }: { label: string; found: Ratio }) {
  return (
    <div className={classes.evidence} title={`New ÷ old with 95 % interval (${label})`}>
      {label}: {formatRatio(found.ratio)} {formatRatioInterval(found)}
    </div>
  );
}
