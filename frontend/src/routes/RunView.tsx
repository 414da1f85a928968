import { Box } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { isFinished } from '@/api/runs';
import type { Answer, RunOut } from '@/api/schema';
import { Loaded, LoadingState } from '@/components/States';
import { Words } from '@/components/Words';
import { AnswerCard } from '@/features/answer/AnswerCard';
import { StartRemedy } from '@/features/answer/StartRemedy';
import { LoadGeneratorBuild } from '@/features/hosts/LoadGeneratorBuild';
import { FinalizationFailure } from '@/features/run-result/FinalizationFailure';
import { RunActions } from '@/features/run-result/actions/RunActions';
import { answerQuery, runQuery } from '@/features/run-result/query';
import { RunResult } from '@/features/run-result/RunResult';
import type { ResultSelection } from '@/features/run-result/selection/selection';
import { loadsOfRun } from '@/features/not-measured/loads';
import { NotMeasured } from '@/features/not-measured/NotMeasured';
import { useDocumentTitle } from '@/lib/hooks';
import { isExportedFile } from '@/lib/installation';
import { Missing } from './missing-lazy';
import { RunMeta } from './RunMeta';
import { RunFigures, RunLive } from './run-parts-lazy';

interface RunViewProps {
  /** Id or slug. */
  run: string;
  selection: ResultSelection;
  onSelect: (selection: ResultSelection) => void;
}

/** Shows the answer of a run, then its result, or its progress until it finishes. */
export function RunView(props: RunViewProps) {
  const { run: key } = props;
  const query = useQuery(runQuery(key));
  return (
    <Loaded
      query={query}
      loading={<Body {...props} loaded={null} />}
      missing={<Missing noun="run" asked={key} />}
    >
      {(run) => <Body {...props} loaded={run} />}
    </Loaded>
  );
}

/** Draws the answer before the run is loaded, so that the page of the server stays as it is. */
function Body({
  run: key,
  loaded: run,
  selection,
  onSelect,
}: RunViewProps & { loaded: RunOut | null }) {
  const isOpen = run !== null && !isFinished(run.status);
  const answer = useQuery({
    ...answerQuery(key),
    refetchInterval: isOpen ? PROGRESS_MS : false,
  });
  const pick = (group: string) => onSelect({ group });
  return (
    <>
      <Loaded query={answer} loading={<LoadingState lines={6} height={28} />}>
        {(known) => (
          <AnswerCard
            answer={known}
            onPick={pick}
            start={known.remedy && <StartRemedy remedy={known.remedy} />}
            actions={run ? <RunActions run={run} /> : undefined}
          />
        )}
      </Loaded>
      {run === null && (
        <Box mih="100vh" pt="lg">
          <LoadingState lines={8} height={28} />
        </Box>
      )}
      {isOpen && (
        <Suspense fallback={<LoadingState lines={8} height={28} />}>
          <LoadGeneratorBuild host={run.host} />
          <RunLive run={run} queryKey={key} />
        </Suspense>
      )}
      {run !== null && !isOpen && answer.data && <AnswerWords answer={answer.data} />}
      {run !== null && !isOpen && (
        <FinishedRun run={run} selection={selection} onSelect={onSelect} />
      )}
    </>
  );
}

/** The card of an open run shows how many trials are done. */
const PROGRESS_MS = 5000;

function AnswerWords({ answer }: { answer: Answer }) {
  const { headline, reason, sentences, lines, rows, metric_title: metric } = answer;
  const values = rows.flatMap(({ interval, comparison }) => [interval, comparison]);
  return (
    <Words
      texts={[
        headline,
        reason,
        metric,
        ...sentences,
        ...lines.map((line) => line.sentence),
        ...values,
      ]}
    />
  );
}

type FinishedRunProps = Pick<RunViewProps, 'selection' | 'onSelect'> & { run: RunOut };

function FinishedRun({ run, selection, onSelect }: FinishedRunProps) {
  useDocumentTitle(run.title);
  return (
    <>
      <FinalizationFailure run={run} />
      {run.purpose === 'comparison' && !isExportedFile() && (
        <NotMeasured loads={loadsOfRun(run)} host={run.host} />
      )}
      <RunResult
        run={run}
        selection={selection}
        onSelect={onSelect}
        meta={<RunMeta run={run} />}
        Figures={RunFigures}
      />
    </>
  );
}
