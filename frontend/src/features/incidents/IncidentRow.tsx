import { IconServer2 } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { IncidentItem } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { Marker } from '@/components/Marker';
import ui from '@/components/ui.module.css';
import { ChangeBadge } from './ChangeBadge';
import { formatCount } from '@/lib/format';
import { describeLoad } from '@/lib/load';
import classes from './IncidentRow.module.css';
import { SizeText } from './SizeText';
import { toneOf } from './sizes';
import { seriesTitleOf, titleOf } from './titles';

interface IncidentRowProps {
  incident: IncidentItem;
  metricTitle: string;
}

/** Shows one incident: its largest change, how many series shifted, and its status. */
export function IncidentRow({ incident, metricTitle }: IncidentRowProps) {
  const { lead, framework } = incident;
  return (
    <li className={classes.row} data-settled={toneOf(lead) === 'quiet' || undefined}>
      <div className={classes.what}>
        <div className={classes.title}>
          {framework === null ? (
            <IconServer2 size={14} stroke={1.8} aria-hidden />
          ) : (
            <Marker colour={framework.colour} />
          )}
          <Link to="/incidents/$id" params={{ id: incident.id }} className={ui.link}>
            {titleOf(incident, metricTitle)}
          </Link>
        </div>
        <div className={ui.quiet}>
          {framework === null ? (
            <>Largest: {seriesTitleOf(lead, metricTitle)}</>
          ) : (
            <>
              {describeLoad(lead)} on {incident.host}
              {incident.changes_total > 1 && <>, {describeSeries(incident)}</>}
            </>
          )}
        </div>
      </div>
      <SizeText shift={lead} />
      <div className={classes.state}>
        <ChangeBadge status={incident.status} />
        <span className={ui.quiet}>
          <Ago at={incident.at} />
        </span>
      </div>
    </li>
  );
}

/** `4 series shifted`, or `4 series shifted: 3 worse, 1 better`. */
function describeSeries(incident: IncidentItem): string {
  const { changes_total: total, changes_worse: worse, changes_better: better } = incident;
  const shifted = `${formatCount(total, 'series', 'series')} shifted`;
  return worse > 0 && better > 0 ? `${shifted}: ${worse} worse, ${better} better` : shifted;
}
