import { Link } from '@tanstack/react-router';
import type { GuardedServiceOut } from '@/api/schema';
import { Ago } from '@/components/Ago';
import ui from '@/components/ui.module.css';
import { formatCount } from '@/lib/format';
import { GuardBadge } from './GuardBadge';
import classes from './ServiceList.module.css';

/** Lists own services with their newest verdict. */
export function ServiceList({ services }: { services: readonly GuardedServiceOut[] }) {
  return (
    <ul className={ui.rows}>
      {services.map(({ service, slug, verdict, headline, created_at: at, guards }) => (
        <li key={service} className={classes.row}>
          <div className={classes.what}>
            <Link to="/guards" search={{ service }} className={ui.link}>
              {service}
            </Link>{' '}
            <span className={ui.quiet}>{formatCount(guards, 'guard')}</span>
          </div>
          <GuardBadge verdict={verdict} />
          <div className={classes.headline}>
            <Link to="/guards/$slug" params={{ slug }} className={ui.link}>
              {headline}
            </Link>
          </div>
          <span className={ui.quiet}>
            <Ago at={at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
