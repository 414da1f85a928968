import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type ChangeFilter, changeQueries } from '@/api/changes';
import { metricQueries } from '@/api/metrics';
import { Loaded, LoadingState } from '@/components/States';
import { words } from '@/lib/format';
import classes from './ChangeList.module.css';
import { ChangeRow } from './ChangeRow';

interface ChangeListProps {
  filter: ChangeFilter;
  limit: number;
  /** Whether to leave out the decision menu and the button for more. */
  isBrief?: boolean;
  /** Shown when no change matches. */
  empty: ReactNode;
}

/** Lists changes with their evidence, newest first. */
export function ChangeList({ filter, limit, isBrief = false, empty }: ChangeListProps) {
  const query = useInfiniteQuery(changeQueries.pages(filter, limit));
  const metrics = useQuery(metricQueries.list());
  const titles = new Map(metrics.data?.map((row) => [row.metric, row.title]));
  return (
    <Loaded query={query} loading={<LoadingState lines={3} height={64} />}>
      {({ pages }) => {
        const changes = pages.flatMap((page) => page.items);
        if (changes.length === 0) return empty;
        return (
          <>
            <ul className={classes.list}>
              {changes.map((change) => (
                <ChangeRow
                  key={change.id}
                  change={change}
                  metricTitle={titles.get(change.metric) ?? words(change.metric)}
                  isBrief={isBrief}
                />
              ))}
            </ul>
            {query.hasNextPage && !isBrief && (
              <Button
                mt={12}
                variant="default"
                size="xs"
                loading={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                Show earlier changes
              </Button>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
