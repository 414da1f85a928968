import { Link } from '@tanstack/react-router';
import type { StudyRun } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { Row } from '@/components/Row';
import { StatusBadge } from '@/components/StatusBadge';
import ui from '@/components/ui.module.css';
import { formatCount } from '@/lib/format';
import classes from './Reproductions.module.css';

interface ReproductionsProps {
  slug: string;
  runs: readonly StudyRun[];
  shown: string | undefined;
}

/** Lists the runs that reproduce the study; each can be shown in its tables. */
export function Reproductions({ slug, runs, shown }: ReproductionsProps) {
  return (
    <ul className={ui.rows}>
      {runs.map((run) => (
        <Row key={run.slug} columns="minmax(180px, 1.4fr) 1fr 120px 120px 150px" narrow="1fr 1fr">
          <span className={classes.what}>
            <Link to="/r/$run" params={{ run: run.slug }} className={classes.name}>
              {run.variant} on {run.host}
            </Link>
            {run.example && <span className={classes.example}>example data</span>}
          </span>
          <span className={ui.quiet}>
            {formatCount(run.cells, 'result')} × {formatCount(run.trials_per_cell, 'trial')}
          </span>
          <StatusBadge status={run.status} />
          <span className={ui.quiet}>
            <Ago at={run.created_at} />
          </span>
          {run.slug === shown ? (
            <span className={ui.quiet}>shown above</span>
          ) : (
            <Link to="/studies/$slug" params={{ slug }} search={{ run: run.slug }}>
              Show above
            </Link>
          )}
        </Row>
      ))}
    </ul>
  );
}
