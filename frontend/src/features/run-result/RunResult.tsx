import { Box } from '@mantine/core';
import { type ComponentType, type ReactNode, Suspense } from 'react';
import type { RunOut } from '@/api/schema';
import { FoldedSection } from '@/components/FoldedSection';
import { SectionIndex } from '@/components/SectionIndex';
import { EmptyState, ErrorState, LoadingState } from '@/components/States';
import { Environment, Evidence, TrialTable, usePrintable } from './evidence/lazy';
import type { RunFiguresProps } from './figures/RunFigures';
import { GroupResult } from './GroupResult';
import classes from './RunResult.module.css';
import { useGroupContext } from './selection/group-context';
import { type Block, type Group, listBlocks } from './selection/groups';
import { BlockPicker } from './selection/pickers';
import type { ResultSelection } from './selection/selection';

interface RunResultProps {
  run: RunOut;
  selection: ResultSelection;
  onSelect: (selection: ResultSelection) => void;
  /** Facts about the run, shown with its environment. */
  meta: ReactNode;
  /** Draws the charts. Its code is loaded after the result. */
  Figures: ComponentType<RunFiguresProps>;
}

/** Draws a finished run below its answer: ranking, charts, then checks, trials and environment. */
export function RunResult({ run, selection, onSelect, meta, Figures }: RunResultProps) {
  usePrintable();
  const blocks = listBlocks(run);
  const block =
    blocks.find(({ groups }) => groups.some((group) => group.key === selection.group)) ?? blocks[0];
  if (block === undefined) {
    return <EmptyState title="This run is empty">It has nothing to measure.</EmptyState>;
  }
  const group = block.groups.find((group) => group.key === selection.group) ?? block.groups[0];
  const isMeasured = group.cells.some((cell) => cell.trials_succeeded > 0);
  const pick = (key: string) => onSelect({ group: key });
  return (
    <>
      <SectionIndex sections={listSections(isMeasured)} />
      {/* If the goal was not reached, the answer above shows why. */}
      {run.goal?.state === 'reached' && <p className={classes.goal}>{run.goal.sentence}</p>}
      {blocks.length > 1 && <BlockPicker blocks={blocks} value={block.key} onPick={pick} />}
      <div className={classes.shown}>
        <ShownGroup
          run={run}
          block={block}
          group={group}
          isMeasured={isMeasured}
          selection={selection}
          onSelect={onSelect}
          onPick={pick}
          Figures={Figures}
        />
      </div>
      <div className={classes.below}>
        {isMeasured && (
          <FoldedSection
            anchor="evidence"
            title="Evidence"
            hint="Checks before, during and after the load, warm-up, and delay of the load generator."
          >
            <Suspense fallback={<LoadingState lines={group.cells.length} />}>
              <Evidence run={run} cells={group.cells} />
            </Suspense>
          </FoldedSection>
        )}
        <FoldedSection
          anchor="trials"
          title="Trials"
          hint="Each trial is a fresh start of the service. Listed in the order they ran."
        >
          <Suspense fallback={<LoadingState lines={run.trials.length} />}>
            <TrialTable run={run} cells={group.cells} />
          </Suspense>
        </FoldedSection>
        <FoldedSection
          anchor="environment"
          title="Environment"
          hint="Host, runtime, versions and settings."
        >
          <Box mb="sm">{meta}</Box>
          <Suspense fallback={<LoadingState lines={8} />}>
            <Environment run={run} />
          </Suspense>
        </FoldedSection>
      </div>
    </>
  );
}

function listSections(isMeasured: boolean) {
  return [
    { anchor: 'ranking', title: 'Ranking' },
    ...(isMeasured
      ? [
          { anchor: 'charts', title: 'Details and charts' },
          { anchor: 'evidence', title: 'Evidence' },
        ]
      : []),
    { anchor: 'trials', title: 'Trials' },
    { anchor: 'environment', title: 'Environment' },
  ];
}

interface ShownGroupProps extends Omit<RunResultProps, 'meta'> {
  block: Block;
  group: Group;
  isMeasured: boolean;
  onPick: (key: string) => void;
}

function ShownGroup(props: ShownGroupProps) {
  const context = useGroupContext(props.run, props.group, props.selection);
  const { ranking, error } = context;
  const waiting = (
    <div className={classes.waiting}>
      <LoadingState lines={8} height={28} />
    </div>
  );
  if (ranking === null) return error ? <ErrorState error={error} /> : waiting;
  return (
    <Suspense fallback={waiting}>
      <GroupResult {...props} context={context} ranking={ranking} />
    </Suspense>
  );
}
