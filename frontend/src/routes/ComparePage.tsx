import { Button, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { PageHeader } from '@/components/Page';
import { Loaded, LoadingState } from '@/components/States';
import { CompareView } from '@/features/compare/CompareView';
import { comparisonChartsQuery, comparisonQuery } from '@/features/compare/query';
import { SaveButton } from '@/features/compare/SnapshotActions';
import { ResultPicker } from '@/features/compare/ResultPicker';
import { loadsOfComparison } from '@/features/not-measured/loads';
import { NotMeasured } from '@/features/not-measured/NotMeasured';
import { formatCount } from '@/lib/format';
import { useDocumentTitle } from '@/lib/hooks';
import { togglePicked } from '@/lib/picked';
import classes from './ComparePage.module.css';

const route = getRouteApi('/compare');
const WAITING = <LoadingState lines={8} height={28} />;

/** Compares any results; the selection is in the URL. */
export function ComparePage(): ReactNode {
  useDocumentTitle('Compare');
  const { cells } = route.useSearch();
  return cells === undefined ? <FirstChoice /> : <Compared cells={cells} />;
}

function FirstChoice() {
  const { search, go } = useSelection();
  const navigate = useNavigate();
  const chosen = search.picked ?? [];
  return (
    <>
      <PageHeader
        title="Compare"
        meta="Tick two or more results of any runs. Results that cannot be compared are shown with the reason."
      />
      <ResultPicker
        filter={search}
        onFilter={go}
        chosen={chosen}
        onToggle={(cell) => go({ picked: togglePicked(chosen, cell) })}
      />
      <div className={classes.bar}>
        <span>{formatCount(chosen.length, 'result')} selected</span>
        <Button
          disabled={chosen.length < 2}
          onClick={() => void navigate({ to: '/compare', search: { cells: chosen } })}
        >
          Compare
        </Button>
      </div>
    </>
  );
}

/** Return the URL parameters and a function to change them. */
function useSelection() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const go = (change: typeof search) =>
    void navigate({
      to: '/compare',
      // The page may still show what the URL had before the last change.
      search: (now) => ({ ...now, ...change }),
      replace: true,
      resetScroll: false,
    });
  return { search, go };
}

function Compared({ cells }: { cells: readonly string[] }) {
  const { search, go } = useSelection();
  const navigate = useNavigate();
  const [picking, { open, close }] = useDisclosure(false);
  const comparison = useQuery(comparisonQuery(cells, search.baseline));
  const charts = useQuery(comparisonChartsQuery(cells));
  const metrics = api.useQuery('get', '/api/v1/metrics');
  const toggle = (cell: string) => {
    const kept = search.baseline === cell ? undefined : search.baseline;
    go({ cells: togglePicked(cells, cell), baseline: kept });
  };
  return (
    <>
      <PageHeader
        title="Compare"
        meta={`${formatCount(cells.length, 'result')} side by side. The selection is saved in this page’s URL; a snapshot also saves the numbers.`}
        actions={
          <>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={open}
            >
              Add results
            </Button>
            {comparison.data && (
              <SaveButton
                cells={cells}
                baseline={comparison.data.baseline}
                onSaved={(hash) => void navigate({ to: '/c/$hash', params: { hash } })}
              />
            )}
          </>
        }
      />
      <Drawer opened={picking} onClose={close} title="Add results" position="right" size="lg">
        <ResultPicker filter={search} onFilter={go} chosen={cells} onToggle={toggle} />
      </Drawer>
      <Loaded query={comparison} loading={WAITING}>
        {(found) => (
          <Loaded query={metrics} loading={WAITING}>
            {({ items: known }) => (
              <>
                <CompareView
                  comparison={found}
                  charts={charts}
                  metrics={known}
                  selection={search}
                  onSelect={go}
                  onBaseline={(baseline) => go({ baseline })}
                  {...(cells.length > 1 && { onRemove: toggle })}
                />
                <NotMeasured loads={loadsOfComparison(found)} />
              </>
            )}
          </Loaded>
        )}
      </Loaded>
    </>
  );
}
