import { usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { isFinished, type Run, runQueries } from '@/api/runs';
import { CompareChosen } from '@/components/CompareChosen';
import { PageHeader } from '@/components/Page';
import { Loaded, LoadingState } from '@/components/States';
import { FinalizationFailure } from '@/features/run-result/FinalizationFailure';
import { RunActions } from '@/features/run-result/actions/RunActions';
import { RunResult } from '@/features/run-result/RunResult';
import type { ResultSelection } from '@/features/run-result/selection/selection';
import { useDocumentTitle } from '@/lib/hooks';
import { Missing } from './missing-lazy';
import { RunMeta } from './RunMeta';
import { RunFigures, RunLive } from './run-parts-lazy';

interface RunViewProps {
  /** Id or slug. */
  run: string;
  readOnly: boolean;
  selection: ResultSelection;
  onSelect: (selection: ResultSelection) => void;
}

/** Shows a run live until it finishes, then its result, for its page and its permalink. */
export function RunView({ run: key, readOnly, selection, onSelect }: RunViewProps) {
  const query = useQuery(runQueries.one(key));
  // Fetched in parallel with the run, because the page starts with it.
  usePrefetchQuery(runQueries.ranking(key, selection.metric ?? '', selection.baseline ?? ''));
  return (
    <Loaded
      query={query}
      loading={<LoadingState lines={8} height={28} />}
      missing={<Missing noun="run" asked={key} />}
    >
      {(run) => (
        <>
          <PageHeader
            title={run.title}
            meta={<RunMeta run={run} />}
            actions={
              <>
                {isFinished(run.status) && (
                  <CompareChosen
                    label="Compare with others"
                    cells={run.cells
                      .filter((cell) => cell.trials_succeeded > 0)
                      .map((cell) => cell.id)}
                  />
                )}
                <RunActions run={run} readOnly={readOnly} />
              </>
            }
          />
          {isFinished(run.status) ? (
            <FinishedRun run={run} selection={selection} onSelect={onSelect} />
          ) : (
            <Suspense fallback={<LoadingState lines={8} height={28} />}>
              <RunLive run={run} queryKey={key} />
            </Suspense>
          )}
        </>
      )}
    </Loaded>
  );
}

type FinishedRunProps = Pick<RunViewProps, 'selection' | 'onSelect'> & { run: Run };

function FinishedRun({ run, selection, onSelect }: FinishedRunProps) {
  useDocumentTitle(run.title);
  return (
    <>
      <FinalizationFailure run={run} />
      <RunResult run={run} selection={selection} onSelect={onSelect} Figures={RunFigures} />
    </>
  );
}
