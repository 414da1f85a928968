import { Link } from '@tanstack/react-router';
import { api, PAGES } from '@/api/client';
import type { GuardSummaryOut } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { NextPage } from '@/components/NextPage';
import { EmptyState, Loaded, LoadingState } from '@/components/States';
import ui from '@/components/ui.module.css';
import { GuardBadge } from './GuardBadge';
import classes from './GuardList.module.css';

const LIMIT = 20;

/** Lists guards, newest first; of one service, if it is given. */
export function GuardList({ service }: { service: string | undefined }) {
  const query = api.useInfiniteQuery(
    'get',
    '/api/v1/guards',
    { params: { query: { limit: LIMIT, ...(service !== undefined && { service }) } } },
    PAGES,
  );
  return (
    <Loaded query={query} loading={<LoadingState lines={5} height={40} />} missing={<NoGuards />}>
      {({ pages }) => {
        const guards = pages.flatMap((page) => page.items);
        if (guards.length === 0) return <NoGuards />;
        return (
          <>
            <ul className={ui.rows}>
              {guards.map((guard) => (
                <GuardRow key={guard.slug} guard={guard} />
              ))}
            </ul>
            <NextPage query={query} label="Show earlier guards" />
          </>
        );
      }}
    </Loaded>
  );
}

function NoGuards() {
  return (
    <EmptyState title="No guard of this service">
      The service may have another name, or its guards were deleted.
    </EmptyState>
  );
}

function GuardRow({ guard }: { guard: GuardSummaryOut }) {
  return (
    <li className={classes.row}>
      <GuardBadge verdict={guard.verdict} />
      <div className={classes.what}>
        <Link to="/guards/$slug" params={{ slug: guard.slug }} className={ui.link}>
          {guard.headline}
        </Link>
        <div className={`${ui.quiet ?? ''} wraps`}>
          {guard.service}, by {guard.requested_by}
        </div>
      </div>
      <span className={ui.quiet}>
        <Ago at={guard.created_at} />
      </span>
    </li>
  );
}
