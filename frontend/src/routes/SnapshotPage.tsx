import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { Hint } from '@/components/Hint';
import { LinkButton } from '@/components/LinkButton';
import { MetaLine, PageHeader } from '@/components/Page';
import { Loaded, LoadingState } from '@/components/States';
import { CompareView } from '@/features/compare/CompareView';
import { SnapshotActions } from '@/features/compare/SnapshotActions';
import { Missing } from './missing-lazy';

const route = getRouteApi('/c/$hash');
const SHOWN_CHARACTERS = 12;

/** A snapshot: a saved comparison, which later changes do not affect. */
export function SnapshotPage(): ReactNode {
  const { hash } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const query = api.useQuery('get', '/api/v1/comparisons/{comparison_hash}', {
    params: { path: { comparison_hash: hash } },
  });
  const metrics = api.useQuery('get', '/api/v1/metrics');
  return (
    <Loaded
      query={query}
      loading={<LoadingState lines={8} height={28} />}
      missing={<Missing noun="snapshot" asked={hash} />}
    >
      {({ comparison, charts }) => (
        <>
          <PageHeader
            title="Comparison"
            meta={
              <MetaLine>
                {'snapshot'}
                <Hint text={`SHA-256 of the content: ${hash}`}>
                  <code>{hash.slice(0, SHOWN_CHARACTERS)}</code>
                </Hint>
                <StatisticsVersion version={comparison.statistics_version} />
              </MetaLine>
            }
            actions={
              <>
                <SnapshotActions hash={hash} />
                <LinkButton
                  to="/compare"
                  search={{
                    cells: comparison.cells.map((cell) => cell.cell_id),
                    baseline: comparison.baseline,
                  }}
                >
                  Change selection
                </LinkButton>
              </>
            }
          />
          <Loaded query={metrics} loading={<LoadingState lines={8} height={28} />}>
            {({ items: known }) => (
              <CompareView
                comparison={comparison}
                charts={{ ...query, data: charts, error: null }}
                metrics={known}
                selection={search}
                onSelect={(change) =>
                  void navigate({
                    to: '/c/$hash',
                    params: { hash },
                    search: (now) => ({ ...now, ...change }),
                    replace: true,
                    resetScroll: false,
                  })
                }
              />
            )}
          </Loaded>
        </>
      )}
    </Loaded>
  );
}

/** Shows the version of the statistics, and whether results are now computed by another version. */
function StatisticsVersion({ version }: { version: number }): ReactNode {
  const current = api.useQuery('get', '/api/v1/health').data?.statistics_version;
  const isOther = current !== undefined && current !== version;
  return (
    <span>
      statistics version {version}
      {isOther && `, now ${String(current)}`}
    </span>
  );
}
